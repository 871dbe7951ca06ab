// The range of time that the timeline shows, within that of the session.

const SHORTEST_RANGE = 20;  // ns

class Viewport {
  constructor(end) {
    this.full = {begin: 0, end: Math.max(end, SHORTEST_RANGE)};
    this.fit();
  }

  get length() {
    return this.end - this.begin;
  }

  set(begin, end) {
    const most = this.full.end - this.full.begin;
    const length = Math.min(Math.max(end - begin, SHORTEST_RANGE), most);
    const middle = (begin + end) / 2;
    this.begin = Math.min(Math.max(middle - length / 2, this.full.begin), this.full.end - length);
    this.end = this.begin + length;
  }

  fit() {
    this.begin = this.full.begin;
    this.end = this.full.end;
  }

  // Shows a range that is `factor` as long; what is at that share of it stays where it is.
  zoom(factor, share = 0.5) {
    const fixed = this.begin + share * this.length;
    const length =
        Math.min(Math.max(this.length * factor, SHORTEST_RANGE), this.full.end - this.full.begin);
    this.set(fixed - share * length, fixed + (1 - share) * length);
  }

  // By a share of the range.
  pan(share) {
    const length = this.length;
    const begin =
        Math.min(Math.max(this.begin + share * length, this.full.begin), this.full.end - length);
    this.begin = begin;
    this.end = begin + length;
  }
}
