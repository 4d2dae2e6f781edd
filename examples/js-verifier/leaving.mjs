// Leaving (section 12): who goes, the keys that it hands over, the pieces of those that it does not.
import { cut, must, same } from './bytes.mjs';
import { G, little, mod, mul } from './group.mjs';
import { fitsPledge, pieces } from './proofs.mjs';
import { body } from './bodies.mjs';

export const ENDS = ['start', 'coin']; // slots in which an invalid entry ends the match
export const SHAKEN = ['slot', 'digest', 'heard']; // checks that one fails who has seen another history
const name = (giver, holder) => `${giver} ${holder}`;

export class Going {
  constructor(match) {
    this.match = match;
    this.seats = new Map(); // who goes and the state does not know it: was its verdict refuted?
    this.history = new Map(); // slot -> what a `leave` that names it is about
  }
  get size() { return this.seats.size; }
  // The first reason counts: false if it was going already.
  add(seat, refuted = false) {
    if (this.seats.has(seat)) return false;
    this.match.votes.gone(this.match.seats[seat]);
    return this.seats.set(seat, refuted);
  }
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
    must(e.slot >= this.match.last[seat] && then, 'slot');
    must(same(e.digest, then.digest), 'digest');
    const list = cut(body('leave', e.body)[0], 32), places = this.positions(seat, then);
    must(list.length === places.length, 'key count');
    places.forEach(([epoch, j], i) => {
      const d = then.decks[epoch], s = little(list[i]);
      must(mul(G, s).equals(d.tags[seat][j]), 'key share');
      d.keys[j][seat] = s;
    });
    this.add(seat);
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
    const view = engine.all().filter(p => !this.seats.has(p));
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
        if (this.lost(g).length && !d.pieces.has(name(g, q))) list.push({ d, giver: g, holder: q });
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
      d.pieces.set(name(giver, holder), pieces(list[i], lock.context, giver, holder, d.ids.length));
    });
  }

  tell(going) {
    const { match } = this, { engine } = match;
    for (const g of going) this.recover(g);
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
    // What waited for the keys of those who went alone goes on.
    const [what, a] = engine.pending;
    if (what === 'NeedKeys' && a.every(([p, list]) => list.every(h => match.known(h, p, engine.all())))) match.release();
    if (what === 'NeedFace' && match.known(a)) match.turnedUp();
  }
}
