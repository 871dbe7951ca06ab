// Advice with the numbers that led to it.

const FIRST_ADVICE = 10;

function adviceItem(advice) {
  return el(
      "li", {class: "advice"}, el("h3", null, advice.title),
      el("p", {class: "cost"}, `At stake: ${formatNs(advice.cost_ns)}`), el("p", null, advice.text),
      facts(advice.facts.map(([name, unit, value]) => [name, formatFact(value, unit)])));
}

function drawAdvice(profile) {
  const {advice} = profile;
  if (advice.length === 0) {
    add(section("advice"),
        el("p", {class: "muted"},
           "No copy that could be avoided, no tiny kernel, no low occupancy and no idle device was found."));
    return;
  }
  const list = el("ol", {class: "advices"}, advice.slice(0, FIRST_ADVICE).map(adviceItem));
  add(section("advice"), list);
  if (advice.length <= FIRST_ADVICE) return;
  const more =
      el("button", {
        type: "button",
        class: "more",
        onclick: () => {
          list.append(...advice.slice(FIRST_ADVICE).map(adviceItem));
          more.remove();
        }
      },
         `Show all ${advice.length}`);
  add(section("advice"), more);
}
