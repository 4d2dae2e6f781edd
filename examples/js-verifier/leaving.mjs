// Leaving (section 12): who goes, the keys that it hands over, the pieces of those that it does not.
import { cut, must, same } from './bytes.mjs';
import { G, little, mod, mul } from './group.mjs';
import { fitsPledge, pieces } from './proofs.mjs';
import { body } from './bodies.mjs';

export const ENDS = ['start', 'coin', 'end']; // slots in which an invalid entry ends the match
export const SHAKEN = ['slot', 'digest', 'heard']; // checks that one fails who has seen another history
const name = (giver, holder) => `${giver} ${holder}`;

export class Going {
  constructor(match) {
    this.match = match;
    this.seats = new Map(); // who goes and the state does not know it: was its verdict refuted?
    this.history = new Map(); // slot -> what a `leave` that names it is about
  }
  get size() { return this.seats.size; }
  add(seat, refuted = false) { this.seats.set(seat, refuted || this.seats.get(seat) || false); }
  list() { return [...this.seats.keys()].sort((a, b) => a - b); }

  // A slot has been opened: remember what lay where.
  opened() {
    const { number, slot, digest, engine, decks, last } = this.match;
    if (!engine) return;
    const { draw, hands, pending } = engine.s;
    this.history.set(number, { kind: slot.kind, digest, draw: [...draw], hands: hands.map(h => [...h]), pending, decks });
    const oldest = Math.min(...engine.all().map(p => last[p]));
    for (const at of this.history.keys()) if (at < oldest) this.history.delete(at); else break;
  }
  // The positions whose keys a seat hands over that goes: the draw pile, its hand, what it owes to others.
  positions(seat, { draw, hands, pending: [what, deals] }) {
    if (what === 'NeedActions' && ['round end', 'end'].includes(deals)) return [];
    const owed = what === 'NeedKeys' ? deals.filter(([p]) => p !== seat).flatMap(([, h]) => h) : [];
    return [...draw, ...hands[seat], ...owed];
  }

  leave(seat, e) {
    const then = this.history.get(e.slot);
    this.add(seat);
    must(e.slot >= this.match.last[seat] && then, 'slot');
    must(same(e.digest, then.digest), 'digest');
    const list = cut(body('leave', e.body)[0], 32), places = this.positions(seat, then);
    must(list.length === places.length, 'key count');
    places.forEach(([epoch, j], i) => {
      const d = then.decks[epoch], s = little(list[i]);
      must(mul(G, s).equals(d.tags[seat][j]), 'key share');
      d.keys[j][seat] = s;
    });
  }

  // Positions of a seat that goes for which nobody knows its key.
  lost(seat) {
    const { decks, engine } = this.match;
    return this.positions(seat, engine.s).filter(([epoch, j]) => decks[epoch].seats.includes(seat) && decks[epoch].keys[j][seat] === undefined);
  }
  // The sums of the pieces that are public.
  recover(seat) {
    for (const [epoch, j] of this.lost(seat)) {
      const d = this.match.decks[epoch], list = d.escrow ? d.locks[seat].holders.map(q => d.pieces.get(name(seat, q))) : [];
      if (list.length && list.every(t => t)) d.keys[j][seat] = mod(list.reduce((a, t) => a + t[j], 0n));
    }
  }
  // What is left to do for those who go; returns the slot `shares` if it is needed.
  settle() {
    const { match } = this, { engine, decks } = match, going = this.list();
    if (!going.length) return null;
    const view = engine.all().filter(p => !this.seats.has(p));
    for (const g of going) this.recover(g);
    const held = (d, g, q) => view.includes(q) || d.pieces.has(name(g, q));
    const recoverable = going.every(g => this.lost(g).every(([epoch]) => {
      const d = decks[epoch];
      return d.escrow && d.locks[g].holders.every(q => held(d, g, q));
    }));
    if (recoverable && view.length >= 2 && !engine.scored) {
      this.owed = new Map(view.map(q => [q, this.due(q, going, view)]));
      const seats = view.filter(q => this.owed.get(q).length);
      if (seats.length) return ['shares', seats];
    }
    this.tell(going);
    return null;
  }
  // The pieces that a seat owes: of those who go, then its own that they held.
  due(q, going, view) {
    const list = [];
    for (const d of this.match.decks) {
      if (!d.escrow || !d.seats.includes(q)) continue;
      for (const g of going) {
        if (!d.seats.includes(g)) continue;
        const lost = this.lost(g).some(([epoch]) => this.match.decks[epoch] === d);
        if (lost && !d.pieces.has(name(g, q))) list.push({ d, giver: g, holder: q });
        if (view.length >= 3 && !d.pieces.has(name(q, g))) list.push({ d, giver: q, holder: g });
      }
    }
    return list;
  }
  shares(seat, data) {
    const due = this.owed.get(seat), list = cut(data, 32);
    must(list.length === due.length, 'share count');
    due.forEach(({ d, giver, holder }, i) => {
      const lock = d.locks[giver];
      must(fitsPledge(list[i], lock.pledges[lock.holders.indexOf(holder)], lock, lock.context, giver, holder), 'escrow piece');
    });
    due.forEach(({ d, giver, holder }, i) => d.pieces.set(name(giver, holder), pieces(list[i], d.locks[giver].context, giver, holder, d.ids.length)));
  }

  tell(going) {
    const { match } = this, { engine } = match;
    if (engine.s.roundWinner === null && going.some(g => this.lost(g).length)) {
      engine.roundVoided(going);
      match.decks = [];
    } else {
      const told = going.map(g => [g, engine.scored ? [] : engine.s.hands[g].map(h => (match.known(h) ? match.cardAt(h) : null)), this.seats.get(g)]);
      const { round } = engine.s;
      for (const t of told) engine.seatLeft(...t);
      if (engine.s.round !== round) match.decks = [];
    }
    this.seats.clear();
  }
  // The state waits for a key of somebody who has gone without it: then it is told so.
  lostForGood() {
    const { engine, decks } = this.match, [what, deals] = engine.pending;
    const gone = ([epoch, j], owner) => decks[epoch].seats.some(q => q !== owner && decks[epoch].keys[j][q] === undefined && !engine.all().includes(q));
    if (what !== 'NeedKeys' || !deals.some(([p, list]) => list.some(h => gone(h, p)))) return false;
    engine.keysLost();
    return true;
  }
}
