// Votes (section 12): what the tapes say, which proposals are in force, how far the feeds of those who are dropped count.
import { compare, hex, Invalid, must, same } from './bytes.mjs';
import { H } from './hash.mjs';
import { dec, isArray, isBytes, isInt } from './msgpack.mjs';
import { header } from './entry.mjs';

const MAX = 2 ** 32 - 1;
const STATEMENTS = ['vote', 'ready', 'refuse', 'withdraw'];
const fit = (ok, why) => must(ok, 'vote', why);
const zero = b => b.every(x => !x);
const rising = list => list.every((x, i) => !i || list[i - 1] < x);
const within = (inner, outer) => inner.every(w => outer.includes(w));

export const admissible = (n, electors) => n >= 3 && 2 * electors > (n === 3 ? n : n + 1);

function proposal(table, data) {
  const v = dec(data, { size: 600, depth: 3, check: 'vote' });
  fit(isArray(v, 5), 'a vote');
  const [view, ballot, mode, cuts, base] = v;
  fit(isArray(view) && view.every(w => isInt(w, 0, 9)) && rising(view), 'a view');
  fit(isInt(ballot, 0, 63) && isInt(mode, 0, 1), 'a ballot and a mode');
  fit(isArray(cuts) && cuts.length && cuts.every(c => isArray(c, 3) && isInt(c[0], 0, 9) && isInt(c[1], 0, MAX) && isBytes(c[2], 32)), 'cuts');
  const leavers = cuts.map(c => c[0]);
  fit(rising(leavers) && within(leavers, view), 'leavers');
  fit(cuts.every(([, count, hash]) => (count === 0) === zero(hash) && (mode === 0 || count === 0)), 'a cut');
  fit(mode === 0 ? base === null : isArray(base, 2) && isInt(base[0], 0, MAX) && isBytes(base[1], 32), 'a base');
  const electors = view.filter(w => !leavers.includes(w));
  fit(admissible(view.length, electors.length), 'too few electors');
  return { name: hex(H('proposal', table, data)), view, place: view.join(), mode, cuts, base, electors };
}
// Is P larger than Q?
const larger = (P, Q) => P.place === Q.place && (P.mode !== Q.mode ? P.mode === 1
  : Q.cuts.length < P.cuts.length && Q.cuts.every(c => P.cuts.some(d => c[0] === d[0] && c[1] === d[1] && same(c[2], d[2]))));

function named(data) {
  const v = dec(data, { size: 64, depth: 1, check: 'vote' });
  fit(isArray(v, 1) && isBytes(v[0], 32), 'a name');
  return hex(v[0]);
}
const evidence = [
  e => isArray(e, 2) && isBytes(e[1], 64) && header(e[0], 'vote'),
  e => isBytes(e, 32), e => isBytes(e, 32),
  e => isArray(e, 2) && isInt(e[0], 0, MAX) && isBytes(e[1], 32),
  e => e === null,
];
function refusal(data) {
  const v = dec(data, { size: 600, depth: 2, check: 'vote' });
  fit(isArray(v, 3) && isBytes(v[0], 32) && isInt(v[1], 0, 4) && evidence[v[1]](v[2]), 'a refusal');
  return hex(v[0]);
}

// The feed of one writer as a tape. `said`: by name of a proposal, the kinds of the statements about it; `ready`: the number
// of the entry that says so.
class Tape {
  constructor(roster) { Object.assign(this, { view: roster, said: new Map(), votes: new Map(), count: {}, refused: 0, fault: null, ended: false, ready: new Map() }); }
  about(name) { return this.said.get(name) ?? []; }
  say(name, kind) { this.said.set(name, [...this.about(name), kind]); }
  stands(name) { return this.about(name).includes('vote') && !this.about(name).includes('withdraw'); }
  standing() { return [...this.votes.values()].filter(p => this.stands(p.name)); }
}

export class Votes {
  constructor(table, writers) {
    Object.assign(this, { table, roster: writers, view: writers, tapes: writers.map(() => new Tape(writers)), proposals: new Map(), settled: new Set(), dropped: new Map() });
  }
  // An entry has arrived on its feed.
  take(e) {
    const t = this.tapes[e.writer];
    t.ended ||= e.kind === 'leave';
    if (!STATEMENTS.includes(e.kind) || t.ended || t.fault) return;
    try { this[e.kind](t, e); } catch (x) {
      if (!(x instanceof Invalid)) throw x;
      t.fault = { number: e.number, why: x.message };
    }
  }
  vote(t, e) {
    const p = proposal(this.table, e.body), { name, place } = p;
    fit(p.electors.includes(e.writer) && within(p.view, p.mode ? this.roster : t.view), 'by one who is no elector, or in a view that is past');
    fit(!t.about(name).length, 'a second answer');
    fit(t.standing().every(q => q.place !== place || larger(p, q)), 'against an own vote that stands');
    t.count[place] = (t.count[place] ?? 0) + 1;
    fit(t.count[place] <= 64, 'too many votes');
    t.view = p.view;
    t.votes.set(name, p);
    t.say(name, 'vote');
    this.proposals.set(name, p);
  }
  ready(t, e) {
    const name = named(e.body), p = t.votes.get(name);
    fit(p && t.stands(name) && !t.about(name).includes('ready'), 'ready without a vote, or twice');
    fit(!t.standing().some(q => larger(q, p)), 'ready for less than an own vote');
    t.say(name, 'ready');
    t.ready.set(name, e.number);
  }
  withdraw(t, e) {
    const name = named(e.body);
    fit(t.stands(name), 'no vote to withdraw');
    t.say(name, 'withdraw');
  }
  refuse(t, e) {
    const name = refusal(e.body);
    fit(!t.about(name).length, 'a second answer');
    fit(++t.refused <= 6400, 'too many refusals');
    t.say(name, 'refuse');
  }

  gone(writer) { this.view = this.view.filter(w => w !== writer); }
  // What all electors are ready for and has had no effect yet.
  agreed(mode) {
    return [...this.proposals.values()].filter(p => p.mode === mode && !this.settled.has(p.name) && p.electors.every(w => this.tapes[w]?.ready.has(p.name)));
  }
  // The voids in force, first the one with the fewest electors.
  voids() { return this.agreed(1).sort((a, b) => a.electors.length - b.electors.length || compare(b.name, a.name)); }
  // Whatever drop is in force now takes effect.
  settle() {
    for (;;) {
      const found = this.agreed(0).filter(p => within(p.electors, this.view) && within(this.view, p.view));
      if (!found.length) return;
      found.sort((a, b) => b.cuts.length - a.cuts.length || compare(b.name, a.name));
      const [p] = found;
      this.settled.add(p.name);
      this.view = p.electors;
      for (const [w, count, hash] of p.cuts) if (!this.dropped.has(w)) this.dropped.set(w, { count, hash });
    }
  }
  // What makes the next entry of this feed invalid that a slot takes: a statement before it.
  fault(e) { const { fault } = this.tapes[e.writer]; return fault && fault.number < e.number ? fault : null; }
  // A slot has taken what lies beyond a cut.
  beyond(p, feeds) { return p.mode === 0 && p.cuts.some(([w, count]) => feeds[w].taken > count); }
  contradicted(feeds) { return [...this.dropped].some(([w, { count }]) => feeds[w].taken > count); }
  // Has this writer gone on without somebody of whom more was taken here? `later`: has this one gone past the open slot?
  wentOn(writer, feeds, later) {
    const { said } = this.tapes[writer];
    return [...said].some(([name, kinds]) => {
      const p = this.proposals.get(name);
      return kinds.includes('ready') && this.beyond(p, feeds)
        && !p.electors.some(w => !this.tapes[w].about(name).includes('ready') && later(w));
    });
  }
}
