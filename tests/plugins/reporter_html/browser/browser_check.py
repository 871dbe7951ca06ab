#!/usr/bin/env python3
"""browser_check.py CASE,CASE PAGE EXPECTED: checks a page in headless Chromium.

PAGE is what the reporter wrote, EXPECTED a JSON object with figures of its profile. Prints what was
measured. Exit code 0: all is well; 1: it is not, with the reason; 77: there is no Chromium.
"""

import json
import os
import sys

from chromium import Chromium, find

NO_BROWSER = 77
MAX_BYTES = 5_000_000
MAX_READY_MS = 2000


def same(actual, expected, what):
    if actual != expected:
        raise AssertionError(f"{what}: {actual!r}, expected {expected!r}")


def holds(truth, what):
    if not truth:
        raise AssertionError(what)


def operator_names(browser):
    return browser.evaluate("loci.operators.table.texts().map((row) => row[0])")


def view(browser):
    return browser.evaluate("[loci.timeline.view.begin, loci.timeline.view.end]")


def focus_timeline(browser):
    browser.evaluate("loci.timeline.box.scrollIntoView(), loci.timeline.box.focus()")


def plot_box(browser):
    """Left, top, width and height of the part of the canvas that shows slices."""
    return browser.evaluate("""(() => {
        const box = loci.timeline.canvas.getBoundingClientRect();
        const {gutter} = loci.timeline.painter;
        return [box.left + gutter, box.top, box.width - gutter, box.height];
    })()""")


def check_load(browser, page, expected):
    size = os.path.getsize(page)
    # The best of three: other processes are at work too.
    ready = min(browser.open(page) and browser.evaluate("loci.readyMs") for _ in range(3))
    print(f"{expected['events']} events: {size / 1e6:.2f} MB, ready after {ready:.0f} ms")
    holds(size <= MAX_BYTES, f"the page has {size} bytes")
    holds(ready <= MAX_READY_MS, f"the page took {ready:.0f} ms")


def check_quiet(browser, page, _):
    """Nothing is loaded, nothing fails."""
    browser.open(page)
    urls = [event["request"]["url"] for event in browser.events("Network.requestWillBeSent")]
    same([url for url in urls if not url.startswith("file://")], [], "requests")
    same(browser.events("Runtime.exceptionThrown"), [], "exceptions")
    same(browser.events("Log.entryAdded"), [], "log")
    text = browser.evaluate("document.querySelector('main').innerText")
    for word in ("undefined", "NaN"):
        holds(word not in text, f"the page says '{word}'")


def check_figures(browser, page, expected):
    """What was packed comes out again."""
    browser.open(page)
    sums = browser.evaluate("""(() => {
        const {spans, work, memory, gaps, steps, nodes} = loci.profile;
        const sum = (column) => column.reduce((total, value) => total + value, 0);
        return {
          span_count: spans.count, span_begin: sum(spans.begin), span_length: sum(spans.length),
          span_covered: sum(spans.covered), span_depth: sum(spans.depth), span_label: sum(spans.label),
          span_device: sum(spans.device), span_thread: sum(spans.thread), span_flags: sum(spans.flags),
          work_count: work.count, work_begin: sum(work.begin), work_length: sum(work.length),
          work_span: sum(work.span), work_bytes: sum(work.bytes),
          memory_count: memory.count, memory_at: sum(memory.at), memory_in_use: sum(memory.inUse),
          gap_count: gaps.count, gap_length: sum(gaps.length), gap_span: sum(gaps.span),
          step_count: steps.count, step_length: sum(steps.length),
          node_count: nodes.length, node_self: nodes.reduce((total, node) => total + node.self, 0),
        };
    })()""")
    for name, value in sums.items():
        same(value, expected[name], name)


def check_filter(browser, page, expected):
    browser.open(page)
    same(len(operator_names(browser)), expected["operators"], "rows at first")
    browser.evaluate("loci.operators.search.focus()")
    browser.send("Input.insertText", text="relu sim:0")
    same(len(operator_names(browser)), 2, "rows with relu on sim:0")
    same(browser.evaluate("loci.operators.status.textContent"),
         f"2 of {expected['operators']} rows", "status")
    browser.evaluate("loci.operators.filter('no such operator')")
    same(operator_names(browser), [], "rows without a match")
    holds(browser.evaluate("!loci.operators.table.nothing.hidden"), "no word on the empty table")
    browser.evaluate("loci.operators.filter(''), loci.operators.setKind('all')")
    same(len(operator_names(browser)), expected["node_count"], "rows of all kinds")
    browser.evaluate("loci.operators.setKind('operators'), loci.operators.setPlace('cpu')")
    same(len(operator_names(browser)), expected["operators_on_cpu"], "rows on cpu")


def check_sort(browser, page, _):
    browser.open(page)
    column = """[...document.querySelectorAll('#operators thead button')]
        .find((button) => button.textContent === 'Device')"""
    cells = "loci.operators.table.sorted().map((row) => row.device)"
    values = browser.evaluate(cells)
    same(values, sorted(values, reverse=True), "device times, descending")
    same(browser.evaluate(f"{column}.parentElement.ariaSort"), "descending", "aria-sort")
    first = operator_names(browser)[0]
    holds(first.startswith("conv2d_grad"), f"the first row is {first}")
    browser.evaluate(f"{column}.click()")
    values = browser.evaluate(cells)
    same(values, sorted(values), "device times, ascending")
    same(browser.evaluate(f"{column}.parentElement.ariaSort"), "ascending", "aria-sort")


def check_group(browser, page, _):
    """One row for a name and a place has the sums of its rows."""
    browser.open(page)
    browser.evaluate("loci.operators.setKind('phase')")
    single = browser.evaluate("loci.operators.table.rows.filter((row) => row.title === 'compute')"
                              ".reduce((sum, row) => sum + row.self, 0)")
    browser.evaluate("loci.operators.setGrouped(true)")
    rows = browser.evaluate("loci.operators.table.rows.filter((row) => row.title === 'compute')"
                            ".map((row) => row.self)")
    same(rows, [single], "self time of compute")


def check_zoom(browser, page, _):
    browser.open(page)
    focus_timeline(browser)
    whole = view(browser)
    browser.press("+")
    begin, end = view(browser)
    holds(end - begin < 0.7 * (whole[1] - whole[0]), f"+ shows {begin} to {end} of {whole}")
    browser.press("ArrowRight")
    holds(view(browser)[0] > begin, "the right arrow does not move")
    browser.press("ArrowLeft")
    browser.press("-")
    browser.press("0")
    same(view(browser), whole, "the range after 0")
    left, top, width, height = plot_box(browser)
    drawn = browser.evaluate("loci.timeline.drawn")
    for _ in range(12):
        browser.mouse("mouseWheel", left + width / 4, top + height / 2, deltaX=0, deltaY=-200)
    begin, end = view(browser)
    holds(end - begin < 0.01 * (whole[1] - whole[0]), f"the wheel shows {begin} to {end}")
    fixed = whole[0] + (whole[1] - whole[0]) / 4
    holds(abs(begin + (end - begin) / 4 - fixed) < 0.01 * (end - begin),
          "what is under the pointer moves")
    holds(browser.evaluate("loci.timeline.drawn") != drawn, "the same slices are drawn")
    holds("ms" in browser.evaluate("loci.timeline.rangeText.textContent"), "no word on the range")


def check_drag(browser, page, _):
    browser.open(page)
    focus_timeline(browser)
    browser.evaluate("loci.timeline.view.set(1e7, 2e7), loci.timeline.draw()")
    left, top, width, height = plot_box(browser)
    x, y = left + width / 2, top + height / 2
    browser.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
    browser.mouse("mouseMoved", x - width / 10, y, button="left", buttons=1)
    browser.mouse("mouseReleased", x - width / 10, y, button="left", clickCount=1)
    begin, end = view(browser)
    holds(abs(begin - 1.1e7) < 1e5 and abs(end - 2.1e7) < 1e5, f"dragged to {begin} to {end}")


def check_select(browser, page, _):
    """By pointer and by keys; what is selected is told in words."""
    browser.open(page)
    focus_timeline(browser)
    browser.evaluate("loci.timeline.showLongest(loci.profile.labels.find((l) => l.name === 'mul'))")
    details = browser.evaluate("loci.timeline.details.textContent")
    holds("mul fc_0" in details and "float32[64, 784]" in details, f"details: {details}")
    same(browser.evaluate("loci.timeline.selected.launched.map(({row, item}) => "
                          "row.source.title(item))"), ["mul_kernel"], "what its phases launched")
    x, y = browser.evaluate("""(() => {
        const {row, item} = loci.timeline.selected;
        const {painter, canvas} = loci.timeline;
        const box = canvas.getBoundingClientRect();
        const middle = row.source.begin[item] + row.source.length[item] / 2;
        return [box.left + painter.x(middle), box.top + painter.y(row.y) + row.height / 2];
    })()""")
    browser.mouse("mouseMoved", x, y)
    holds(browser.evaluate("loci.timeline.tip.textContent").startswith("mul fc_0"), "no tip")
    browser.press("Escape")
    same(browser.evaluate("loci.timeline.selected"), None, "the selection after Escape")
    browser.click(x, y)
    same(browser.evaluate("loci.timeline.details.querySelector('h3').textContent"), "mul fc_0",
         "what was clicked")
    browser.press("n")
    following = browser.evaluate("loci.timeline.details.querySelector('h3').textContent")
    same(following, "elementwise_add fc_0_bias", "the next slice")
    browser.press("Enter")
    begin, end = view(browser)
    holds(end - begin < 1e5, f"Enter shows {begin} to {end}")


def check_text(browser, page, _):
    """Names are text, whatever they look like."""
    browser.open(page)
    name = "conv_0_w <b>&amp;</script>"
    cells = browser.evaluate("loci.operators.table.texts().map((row) => row[1])")
    holds(name in cells, f"instances: {cells}")
    same(browser.evaluate("document.querySelectorAll('b').length"), 0, "elements made of a name")


def check_sections(browser, page, expected):
    browser.open(page)
    titles = browser.evaluate("[...document.querySelectorAll('#advice h3')].map((h) => h.textContent)")
    same(titles, expected["advice"], "advice")
    same(browser.evaluate("loci.transfers.texts().length"), expected["copies"], "transfers")
    same(browser.evaluate("loci.memory.texts().length"), expected["tensors"], "tensors")
    same(browser.evaluate("document.querySelectorAll('#roofline svg.chart .point').length"),
         expected["roofline_points"], "points")
    quality = browser.evaluate("document.getElementById('quality').textContent")
    holds("a described machine" in quality and "3 memory" in quality, f"data quality: {quality}")


def contrast(first, second):
    def luminance(color):
        channels = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def check_schemes(browser, page, _):
    """Text is readable in both (WCAG AA), and the canvas follows."""
    grounds = []
    browser.open(page)
    for scheme in ("light", "dark"):
        browser.prefer_scheme(scheme)
        browser.settle()
        color = {name: browser.evaluate("getComputedStyle(document.documentElement)"
                                        f".getPropertyValue('--{name}').trim()")
                 for name in ("ground", "band", "ink", "muted", "accent")}
        for text in ("ink", "muted", "accent"):
            for ground in ("ground", "band"):
                ratio = contrast(color[text], color[ground])
                holds(ratio >= 4.5, f"{scheme}: {text} on {ground} has a contrast of {ratio:.1f}")
        grounds.append(browser.evaluate(
            "[...loci.timeline.painter.pen.getImageData(2, 2, 1, 1).data].join()"))
    holds(grounds[0] != grounds[1], f"the canvas has {grounds}")


def check_narrow(browser, page, _):
    browser.resize(360, 740)
    browser.open(page)
    browser.settle()
    width = browser.evaluate("document.documentElement.scrollWidth")
    holds(width <= 360, f"the page is {width} wide")
    holds(browser.evaluate("loci.timeline.painter.width") < 360, "the timeline is too wide")


def check_keyboard(browser, page, _):
    """Tab reaches all that can be done; each stop has a name."""
    browser.open(page)
    unnamed = browser.evaluate("""[...document.querySelectorAll('button, select, input, [tabindex]')]
        .filter((node) => !(node.textContent.trim() || node.ariaLabel || node.closest('label')))
        .map((node) => node.outerHTML)""")
    same(unnamed, [], "controls without a name")
    for _ in range(200):
        browser.send("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab",
                     windowsVirtualKeyCode=9)
        if browser.evaluate("document.activeElement === loci.timeline.box"):
            return
    raise AssertionError("Tab does not reach the timeline")


def check_print(browser, page, _):
    browser.open(page)
    pdf = browser.pdf()
    pages = pdf.count(b"/Type /Page\n") or pdf.count(b"/Type /Page/") or pdf.count(b"/Type /Page ")
    print(f"printed: {len(pdf) / 1e6:.2f} MB, {pages} pages")
    holds(pdf.startswith(b"%PDF") and 2 <= pages <= 40, f"{pages} pages")
    browser.send("Emulation.setEmulatedMedia", media="print")
    browser.settle()
    hidden = browser.evaluate("""[...document.querySelectorAll('nav, .controls, .hint')]
        .every((node) => getComputedStyle(node).display === 'none')""")
    holds(hidden, "controls are printed")
    same(browser.evaluate("getComputedStyle(document.body).backgroundColor"),
         "rgb(255, 255, 255)", "paper")
    same(browser.evaluate("getComputedStyle(document.querySelector('.scroll')).overflowX"),
         "visible", "tables on paper")


def check_plain(browser, page, expected):
    """A page with little in it: nothing fails, and what is missing is said."""
    check_quiet(browser, page, expected)
    same(browser.evaluate("loci.profile.spans.count"), expected["span_count"], "spans")
    text = browser.evaluate("document.querySelector('main').innerText")
    for words in expected["says"]:
        holds(words in text, f"the page does not say '{words}': {text}")
    for words in expected["says_not"]:
        holds(words not in text, f"the page says '{words}'")


def main():
    cases, page, expected_path = sys.argv[1:]
    if find() is None:
        print("no Chromium; tools/setup installs it where the distribution has it")
        return NO_BROWSER
    with open(expected_path, encoding="utf-8") as file:
        expected = json.load(file)
    failures = 0
    with Chromium() as browser:
        for case in cases.split(","):
            browser.reset()
            try:
                globals()[f"check_{case}"](browser, page, expected)
            except (AssertionError, RuntimeError) as error:
                print(f"{case}: {error}")
                failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
