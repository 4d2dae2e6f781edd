// Forks (section 12): proofs of equivocation, the boundaries, and the way back to one of them when a void is in force.
import { Invalid, same, unhex } from './bytes.mjs';
import { H } from './hash.mjs';
import { CONTROL } from './entry.mjs';

export const FORK = 'two entries that contradict each other';

export class Forks {
  constructor(match) {
    this.match = match;
    this.proofs = new Map(); // writer -> the first proof against it, as a departure is told
    this.boundaries = []; // { slot, digest, kind, state, voids, agreed }
    this.voids = 0; // that came before the open slot
    this.last = null; // the last void, until a boundary after it is agreed: its base, electors, name, whom it put out
    this.out = new Map(); // whom a void has put out, and how: 'left', 'dropped' or 'invalid'
  }

  // ---- the proof ----

  // `slots`: those that its two headers name.
  prove({ writer, number, slots }, record) {
    if (this.proofs.has(writer)) return;
    if (!this.match.engine && slots.some(s => s < 2)) throw new Invalid('equivocation', FORK, { writer, number });
    this.proofs.set(writer, { writer, number, record, check: 'equivocation', message: FORK });
  }
  // For whose sake the round is void: in when the latest agreed boundary opened, and not dropped since.
  forkers() {
    const { match } = this, at = this.boundaries.findLast(b => b.agreed);
    return at ? [...this.proofs.keys()].filter(w => at.state.seatsIn.includes(match.seats.indexOf(w)) && !match.votes.dropped.has(w)) : [];
  }
  // The proof that neither a void nor the end has followed. Of a void without a vote nothing is seen before the end.
  get unanswered() {
    const { match } = this, open = match.engine ? this.forkers() : [...this.proofs.keys()];
    const alone = this.last?.name === '' ? this.last.out.filter(w => this.proofs.has(w)) : [];
    return match.over ? undefined : this.proofs.get([...open, ...alone][0]);
  }
  // A void is in force that goes back to a slot still to come: until there slots are closed as ever.
  get ahead() { return this.inForce().some(p => p.base[0] > this.match.number); }
  get halted() { return this.forkers().length > 0 && !this.ahead; }

  // ---- boundaries ----

  mark(slot, digest, kind, agreed) {
    this.boundaries.push({ slot, digest, kind, agreed, voids: this.voids, state: structuredClone(this.match.engine.s) });
  }
  opened() {
    const { number, digest, slot } = this.match;
    if (slot.kind === 'round end' || slot.kind === 'end') this.mark(number, digest, slot.kind, false);
  }
  closed(slot) {
    const at = this.boundaries.at(-1);
    if (at?.slot === slot && !at.agreed) { at.agreed = true; this.last = null; }
  }
  at([slot, digest]) {
    const known = this.last ? [this.last.at, ...this.boundaries] : this.boundaries;
    return known.find(b => b.slot === slot && same(b.digest, digest));
  }
  // Has this writer signed for it? What is agreed all have signed for.
  signed(writer, b) {
    return b.agreed || this.match.feeds[writer].entries.some(e => !CONTROL.has(e.kind) && e.slot === b.slot && same(e.digest, b.digest));
  }

  // ---- the effect ----

  // With a proof against one of the leavers, who was in at the base; from the base of the last void only one with fewer
  // electors, which then replaces it.
  inForce() {
    const { last, match, proofs } = this, { dropped } = match.votes;
    return match.votes.voids().filter(p => {
      const inside = (this.at(p.base) ?? this.boundaries.findLast(b => b.agreed)).state.seatsIn;
      const forked = p.cuts.some(([w]) => proofs.has(w) && !dropped.has(w) && inside.includes(match.seats.indexOf(w)));
      return forked && (p.base[0] !== last?.at.slot || p.electors.length < last.electors);
    });
  }
  // Goes back if a void is in force; has it?
  look() {
    const { match } = this, { votes } = match, found = this.inForce().find(p => this.at(p.base));
    if (found) {
      votes.settled.add(found.name);
      for (const w of found.electors) match.pass(w, votes.tapes[w].ready.get(found.name) + 1);
      this.back(this.at(found.base), found.electors, found.name);
      return true;
    }
    const forkers = this.forkers(), left = votes.view.filter(w => !forkers.includes(w) && !votes.tapes[w].ended), [one] = left;
    if (!forkers.length || left.length !== 1 || match.slot.kind === 'end' || this.voting(one)) return false;
    match.pass(one, match.feeds[one].entries.length);
    this.back(this.boundaries.findLast(b => this.signed(one, b)), left, '');
    return true;
  }
  // Does a vote of this writer for a void of this round stand?
  voting(writer) {
    const now = this.boundaries.slice(this.boundaries.findLastIndex(b => b.agreed));
    return this.match.votes.tapes[writer].standing().some(p => p.mode === 1 && now.includes(this.at(p.base)));
  }

  back(at, electors, name) {
    const { match } = this, { engine, votes } = match, forkers = this.forkers();
    const out = at.state.seatsIn.filter(seat => !electors.includes(match.seats[seat]));
    match.out = match.out.filter(x => !electors.includes(x.writer));
    for (const w of out.map(seat => match.seats[seat])) {
      const fork = forkers.includes(w), before = match.out.some(x => x.writer === w);
      if (fork && !before) match.out.push(this.proofs.get(w));
      this.out.set(w, fork || before ? 'invalid' : votes.tapes[w].ended ? 'left' : 'dropped');
    }
    if (match.doubt && electors.includes(match.doubt.writer)) match.doubt = null;
    for (const w of electors) { votes.dropped.delete(w); this.out.delete(w); }
    votes.view = [...electors];
    Object.assign(this, { boundaries: [], last: { at, electors: electors.length, name, out: out.map(seat => match.seats[seat]) }, voids: at.voids + 1 });

    engine.s = structuredClone(at.state);
    if (engine.pending[1] === 'end') for (const seat of out) engine.seatLeft(seat, []);
    else {
      if (engine.scored) engine.answer(engine.pending[2].map(seat => [seat, { kind: 'round end' }]));
      engine.roundVoided(out);
    }
    match.number = at.slot + 1;
    match.digest = H('void', at.digest, unhex(name), engine.digest());
    match.anew();
    this.boundaries = [];
    this.mark(match.number, match.digest, match.slot.kind, true);
  }
}
