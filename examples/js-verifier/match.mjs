// A match: feeds, slots, digests, judging (sections 6, 7 and 10); who leaves, and what becomes of its keys, is in leaving.mjs,
// who is dropped in votes.mjs, what becomes of a round after a fork in forks.mjs.
import { cut, Invalid, join, must, same } from './bytes.mjs';
import { H } from './hash.mjs';
import { enc } from './msgpack.mjs';
import { bytesOf, cardPoint, G, inverse, little, mul, scalar } from './group.mjs';
import { cardsHash } from './transcript.mjs';
import * as proofs from './proofs.mjs';
import { arrived, contradict, CONTROL, header } from './entry.mjs';
import { signed } from './identity.mjs';
import { coinOf, commitmentOf, seatsOf } from './table.mjs';
import { body, TAKES } from './bodies.mjs';
import { Engine } from './engine.mjs';
import { allIds, face, isIcon, isWild } from './editions.mjs';
import { ENDS, Going, SHAKEN } from './leaving.mjs';
import { Votes } from './votes.mjs';
import { FORK, Forks } from './forks.mjs';

const EMPTY = new Uint8Array(0);
const EMPTY_BODY = H('body', Uint8Array.of(0x90));

// Proofs that held once: the test replays the same beginning of a match many times.
const held = new Map();
const once = (make, ...parts) => {
  const name = Buffer.from(H('js remembered', ...parts)).toString('hex');
  if (!held.has(name)) held.set(name, make());
  return held.get(name);
};

const full = feed => feed.entries.length - feed.taken >= 256 || feed.waiting >= 2 * 2 ** 20;

export class Match {
  constructor(roster, note = () => {}) {
    this.roster = roster;
    this.n = roster.players.length;
    this.note = note;
    this.feeds = roster.players.map(() => ({ entries: [], taken: 0, waiting: 0 }));
    this.number = 0;
    this.digest = H('first digest', roster.table);
    this.engine = null;
    this.decks = [];
    this.over = false;
    this.seats = Array.from({ length: this.n }, (_, i) => i); // seat -> writer
    this.last = Array(this.n).fill(0); // by seat: the last slot that took an entry of it
    this.going = new Going(this);
    this.votes = new Votes(roster.table, this.seats);
    this.forks = new Forks(this);
    this.ignored = []; // entries beyond the cut of who was dropped, or by whom a void has put out
    this.explained = () => false; // may a later record explain an entry that speaks of another history?
    this.attempt = 0; // at the epoch that is being made
    this.committed = null;
    this.out = []; // departures by invalid entries
    this.doubt = null; // the last of them, while nobody has played on
    this.open('start', this.seats);
  }
  open(kind, owed, more = {}) {
    this.slot = { kind, owed, ...more };
    this.going.opened();
    this.forks.opened();
    this.note(kind, owed, this.digest, this.engine ? this.engine.digest() : EMPTY);
  }
  player(seat) { return this.roster.players[this.seats[seat]]; }

  // ---- arrival (section 6) ----

  arrive(bytes, record) {
    const e = arrived(bytes, this.roster), feed = this.feeds[e.writer], next = feed.entries.length, who = { writer: e.writer, number: e.number };
    const cut = this.votes.dropped.get(e.writer);
    if (this.forks.out.has(e.writer) || (cut && e.number >= Math.max(cut.count, next))) { this.ignored.push(who); return; }
    must(e.number <= next, 'order', 'a gap', { number: e.number });
    must(next || e.previous.every(b => !b), 'signature', 'a first entry with a previous', { number: 0 });
    const other = feed.entries[Math.min(e.number, next - 1)];
    must(!other || !contradict(other, e), 'equivocation', FORK, who);
    must(e.number === next, 'order', 'a double', { number: e.number });
    if (full(feed)) this.advance(record, true);
    if (full(feed) && this.heldBack()) this.stuck = true;
    if (this.over || this.strayed) return;
    must(!full(feed), 'order', 'too many untaken', { number: e.number });
    feed.entries.push(e);
    feed.waiting += e.body.length;
    this.votes.take(e);
    this.advance(record);
  }
  // A proof of equivocation has come.
  prove(proof, record) {
    this.forks.prove(proof, record);
    this.advance(record);
  }
  // `sure`: nothing will explain any more what speaks of another history.
  advance(record, sure = !this.explained(record)) {
    this.settle();
    while (!this.over && !this.strayed && this.close(record, sure)) this.settle();
  }
  // What is in force takes effect, once the coin has fallen.
  settle() {
    if (!this.engine) return;
    while (!this.over && this.forks.look());
    if (!this.forks.ahead) this.votes.settle();
  }
  // Everything on this feed up to here is passed over.
  pass(writer, count) {
    const feed = this.feeds[writer];
    feed.taken = count;
    feed.waiting = feed.entries.slice(count).reduce((sum, e) => sum + e.body.length, 0);
  }
  // Nothing of the round counts any more; the state says what is next.
  anew() {
    Object.assign(this, { decks: [], making: null, trying: null, committed: null, oneTime: null });
    this.going.seats.clear();
    this.going.history.clear();
    this.last.fill(0);
    this.follow();
  }
  // Was somebody dropped in another history than this?
  get strayed() { return this.stuck || this.votes.contradicted(this.feeds); }
  // Does the open slot wait with an entry that speaks of another history, whose writer went on without somebody?
  heldBack() {
    return this.slot.owed.some(seat => {
      const writer = this.seats[seat], e = this.next(seat);
      return e && !this.votes.dropped.has(writer) && this.otherHistory(e) && this.votes.wentOn(writer, this.feeds, w => this.furthest(w) > this.number);
    });
  }
  // The slot that a feed's last slot entry names that none has taken.
  furthest(writer) { return this.feeds[writer].entries.slice(this.feeds[writer].taken).findLast(e => !CONTROL.has(e.kind))?.slot ?? -1; }
  otherHistory(e) {
    if (e.kind === 'leave') { const at = this.going.history.get(e.slot); return !at || !same(e.digest, at.digest); }
    if (e.slot !== this.number || !same(e.digest, this.digest)) return true;
    if (this.slot.kind !== 'window') return false;
    const answer = this.next(this.engine.s.window);
    const heard = this.heard(e);
    return heard !== null && answer !== null && heard.number !== answer.number;
  }
  // The header of the window's owner in a `heard`, or null.
  heard(e) {
    if (e.kind !== 'heard' || this.slot.kind !== 'window') return null;
    try {
      const [bytes, signature] = body('heard', e.body), h = header(bytes, 'body');
      return h.writer === this.seats[this.engine.s.window] ? { ...h, signature } : null;
    } catch (x) { if (!(x instanceof Invalid)) throw x; return null; }
  }
  // All that counts of a seat that was dropped has been taken.
  departs(seat) {
    const writer = this.seats[seat], cut = this.votes.dropped.get(writer), next = this.next(seat);
    return cut !== undefined && this.feeds[writer].entries.length >= cut.count && (!next || next.number >= cut.count);
  }

  // The next slot entry of a seat's feed, or null; a flood of chat, or a control entry that is too long, is taken itself.
  next(seat) {
    const feed = this.feeds[this.seats[seat]];
    for (let i = feed.taken, chat = 0; i < feed.entries.length; i++) {
      const e = feed.entries[i];
      if (!CONTROL.has(e.kind)) return { ...e, at: i };
      chat += e.kind === 'chat';
      if (chat > 50 || e.body.length > 600) return { ...e, at: i, chat: true };
    }
    return null;
  }

  // The header in a `heard` that contradicts the tape of the window's owner, if there is one.
  forkedCall(taken) {
    return taken.map(e => this.heard(e)).find(h => {
      const own = h && this.feeds[h.writer].entries[h.number];
      return own && !same(h.hash, own.hash) && same(h.table, own.table) && signed(this.roster.players[h.writer].key, 'entry', h.bytes, h.signature);
    });
  }

  close(record, sure) {
    const { kind, owed } = this.slot, { forks } = this, forkers = forks.halted ? forks.forkers().map(w => this.seats.indexOf(w)) : [];
    if (forkers.length && kind !== 'end') return false;
    const dropped = owed.filter(seat => this.departs(seat) || forkers.includes(seat)), here = owed.filter(seat => !dropped.includes(seat));
    const taken = here.map(seat => this.next(seat));
    if (taken.some(e => !e) || this.heldBack()) return false;
    if (forkers.length && here.some(seat => forks.voting(this.seats[seat]))) return false;
    const waits = e => !this.votes.dropped.has(e.writer) && this.otherHistory(e);
    if ((!sure || forkers.length) && !forks.ahead && taken.some(waits)) return false;
    const call = this.forkedCall(taken);
    if (call && !forks.proofs.has(call.writer)) {
      forks.prove({ writer: call.writer, number: call.number, slots: [] }, record);
      return true;
    }
    for (const seat of dropped) if (this.going.add(seat) && forkers.includes(seat)) this.out.push(forks.proofs.get(this.seats[seat]));
    this.taken = taken;
    this.answers = [];
    const faults = [];
    taken.forEach((e, i) => {
      try {
        this.judge(here[i], e);
      } catch (x) {
        if (!(x instanceof Invalid)) throw x;
        if (x.writer === undefined) Object.assign(x, { writer: e.writer, number: e.number });
        if (ENDS.includes(kind) || x.writer === null) throw x;
        const silent = SHAKEN.includes(x.check) && this.votes.dropped.has(x.writer);
        if (this.going.add(this.seats.indexOf(x.writer), x.refuted) && !silent) faults.push(x);
      }
    });
    if (this.doubt && faults.some(x => SHAKEN.includes(x.check))) throw this.doubt;
    if (taken.length) this.doubt = faults.at(-1) ?? null;
    this.out.push(...faults.map(x => Object.assign(x, { record })));
    taken.forEach((e, i) => {
      const feed = this.feeds[e.writer];
      for (let j = feed.taken; j <= e.at; j++) feed.waiting -= feed.entries[j].body.length;
      feed.taken = e.at + 1;
      this.last[here[i]] = this.number;
    });
    if (kind === 'end') this.final = this.digest; // what all have signed for
    forks.closed(this.number);
    const then = this.effect();
    const state = this.engine ? this.engine.digest() : EMPTY;
    this.digest = H('digest', this.digest, ...taken.map(e => e.hash), state);
    this.number++;
    if (then) this.open(...then); else this.follow();
    return true;
  }

  judge(seat, e) {
    const { kind } = this.slot, fault = this.votes.fault(e);
    must(!fault, 'vote', fault?.why, { writer: e.writer, number: fault?.number });
    must(!e.chat, 'chat', 'too much chat');
    if (e.kind === 'leave' && kind !== 'start' && kind !== 'coin') { this.going.leave(seat, e); return; }
    must(e.slot === this.number, 'slot');
    must(same(e.digest, this.digest), 'digest');
    must(TAKES[kind].includes(e.kind), 'kind', `${e.kind} in slot ${kind}`);
    const b = body(e.kind, e.body);
    const answer = { kind: e.kind, ...this['on ' + e.kind]?.(seat, e, b) };
    if (this.engine && this.engine.pending[0] === 'NeedActions' && kind !== 'commit' && kind !== 'shares')
      this.engine.check(seat, answer, this.answers.map(([, a]) => a));
    this.answers.push([seat, answer]);
  }

  // What a closed slot does; returns the next slot where the state does not name it.
  effect() {
    const { kind, step } = this.slot, answers = this.answers, seats = this.making?.seats, more = seats && step + 1 < seats.length;
    const left = this.going.size > 0;
    switch (kind) {
      case 'start': return ['coin', this.slot.owed];
      case 'coin':
        this.seats = seatsOf(coinOf(this.roster.table, answers.map(([, a]) => a.share)), this.n);
        this.engine = new Engine(this.roster.options, this.n);
        this.forks.mark(this.number, this.digest, kind, true);
        return null;
      case 'shuffle': case 'lock': case 'epoch ok':
        if (left) { this.making = null; this.attempt++; break; }
        if (more) return [kind, [seats[step + 1]], { step: step + 1 }];
        if (kind === 'shuffle') return ['lock', [seats[0]], { step: 0 }];
        if (kind === 'lock') return ['epoch ok', seats];
        this.decks[this.engine.s.epoch] = this.making;
        this.making = null;
        this.engine.epochReady(this.decks[this.engine.s.epoch].ids);
        return null;
      case 'keys': if (!left) this.release(); break;
      case 'turn up': if (!left) this.turnedUp(); break;
      case 'commit': this.committed = { at: this.number, by: new Map(answers.map(([p, a]) => [p, a.commitment])) }; break;
      case 'shares': break;
      default:
        if (left) this.engine.s.answers = answers; else this.engine.answer(answers);
        if (kind === 'round end' && !left) this.decks = [];
    }
    return this.going.size ? this.going.settle() : null;
  }
  // Are the keys of this position known of all these seats but its owner?
  known([epoch, j], owner = null, by = this.decks[epoch].seats) { return by.every(q => q === owner || this.decks[epoch].keys[j][q] !== undefined); }
  // All keys have come that can come.
  release() {
    if (this.engine.pending[1].every(([p, list]) => list.every(h => this.known(h, p)))) this.engine.keysReleased(); else this.engine.keysLost();
  }
  // The slot that the state asks for.
  follow() {
    const [what, a, b] = this.engine.pending, { round, epoch } = this.engine.s;
    if (what === 'NeedEpoch') {
      if (this.trying !== `${round}/${epoch}`) { this.trying = `${round}/${epoch}`; this.attempt = 16 * this.forks.voids; }
      const ids = a, points = ids.map(c => cardPoint(this.engine.edition, c)), seats = this.engine.all();
      const escrow = this.roster.options.escrow && seats.length >= 3;
      this.making = { ids, seats, escrow, attempt: this.attempt, deck: points, hash: cardsHash(this.engine.edition, ids), K: [], tags: [], keys: ids.map(() => []), locks: [], pieces: new Map() };
      this.open('shuffle', [seats[0]], { step: 0 });
    } else if (what === 'NeedKeys') this.open('keys', this.engine.all().filter(s => a.some(([p, h]) => p !== s && h.length)));
    else if (what === 'NeedFace') this.open('turn up', this.engine.all());
    else if (what === 'NeedActions') {
      if (a !== 'choose') this.committed = null;
      this.open(a !== 'choose' ? a : this.committed ? 'reveal' : 'commit', b);
    } else { this.over = true; this.note(null, [], this.digest, this.engine.digest()); }
  }

  // ---- what section 10 says for each kind ----

  context(seat, deck = this.decks[this.engine.s.epoch]) {
    const { round, epoch } = this.engine.s;
    return { table: this.roster.table, round, epoch, attempt: deck.attempt, seat, slot: this.number, n: deck.ids.length, cards: deck.hash };
  }
  'on start'(seat, e, [id, signature]) {
    const { players, host, hostNonce, table } = this.roster;
    must(same(id, table) && signed(players[host].key, 'roster', join(hostNonce, id), signature), 'start', 'not this table');
  }
  'on coin'(seat, e, [r]) {
    must(same(commitmentOf(this.roster.players[seat].key, r), this.roster.players[seat].commitment), 'coin');
    return { share: r };
  }
  'on shuffle'(seat, e, [data]) {
    const d = this.making, c = this.context(seat, d);
    const { deck, K } = once(() => proofs.verifyShuffle(c, 'shuffle', d.deck, data), e.bytes, ...d.deck.map(bytesOf));
    d.deck = deck;
    d.K[seat] = K;
  }
  holders(seat, deck = this.making) { return deck.seats.filter(q => q !== seat).map(q => ({ seat: q, key: this.player(q).box })); }
  'on lock'(seat, e, [data, pairs]) {
    const d = this.making, c = this.context(seat, d);
    const pledges = d.escrow ? once(() => proofs.verifyPieces(c, this.holders(seat), pairs), e.bytes, Uint8Array.of(1)) : [];
    if (!d.escrow) must(!pairs.length, 'body', 'pieces without escrow');
    const { deck, tags, rho, place } = once(() => proofs.verifyLock(c, 'lock', d.deck, d.K[seat], data, null, pledges), e.bytes, ...d.deck.map(bytesOf));
    d.deck = deck;
    d.tags[seat] = tags;
    d.locks[seat] = { context: c, holders: this.holders(seat).map(h => h.seat), pairs, pledges, rho, place, who: { writer: e.writer, number: e.number } };
  }
  'on escrow complaint'(seat, e, [giver, complaint]) {
    const d = this.making, lock = d.locks[giver];
    must(d.escrow && giver !== seat && lock, 'escrow complaint', 'about nobody who has locked');
    const holders = this.holders(giver), i = holders.findIndex(h => h.seat === seat), data = lock.pairs[i][1];
    const box = proofs.verifyBox(lock.context, seat, holders[i].key, data, 32);
    const shared = proofs.verifyComplaint(this.context(seat, d), box, complaint);
    const seed = proofs.openBox(box, shared);
    const fine = seed && proofs.fitsPledge(seed, lock.pledges[i], lock, lock.context, giver, seat);
    must(fine, 'escrow piece', 'the sealed pieces are not those pledged', lock.who);
    throw new Invalid('escrow complaint', 'about a box that is in order');
  }
  take(seat, handles, data) {
    const list = cut(data, 32);
    must(list.length === handles.length, 'key count');
    handles.forEach(([epoch, j], i) => {
      const d = this.decks[epoch], s = little(list[i]);
      must(mul(G, s).equals(d.tags[seat][j]), 'key share');
      d.keys[j][seat] = s;
    });
  }
  'on keys'(seat, e, [data]) {
    this.take(seat, this.engine.pending[1].filter(([p]) => p !== seat).flatMap(([, h]) => h), data);
  }
  'on turn up'(seat, e, [data]) { this.take(seat, [this.engine.pending[1]], data); }
  turnedUp() { this.engine.turnUp(this.cardAt(this.engine.pending[1])); }
  // The card at a position of which all keys are known.
  cardAt([epoch, j]) {
    const d = this.decks[epoch], found = mul(d.deck[j], inverse(d.seats.reduce((a, q) => a * d.keys[j][q], 1n)));
    const card = d.ids.find(c => cardPoint(this.engine.edition, c).equals(found));
    must(card !== undefined, 'deck', 'no card at this position', { writer: null, number: null });
    return card;
  }
  // A position of somebody's hand: its tag and Y.
  place([epoch, j], seat) {
    const d = this.decks[epoch];
    d.Y ??= [];
    d.Y[j] ??= mul(d.deck[j], inverse(d.seats.filter(q => q !== seat).reduce((a, q) => a * d.keys[j][q], 1n)));
    return { handle: [epoch, j], Y: d.Y[j], S: d.tags[seat][j], ids: d.ids };
  }
  has(seat, [epoch, j]) { return this.engine.s.hands[seat].some(h => h[0] === epoch && h[1] === j); }
  shown(seat, epoch, j, card, key) {
    must(this.has(seat, [epoch, j]), 'hand', 'not in this hand');
    const p = this.place([epoch, j], seat), s = little(key);
    must(mul(G, s).equals(p.S), 'shown key');
    must(p.ids.includes(card) && mul(cardPoint(this.engine.edition, card), s).equals(p.Y), 'shown face');
    this.decks[epoch].keys[j][seat] = s;
  }
  'on play'(seat, e, [epoch, j, card, key, colour, uno]) {
    this.shown(seat, epoch, j, card, key);
    return { handle: [epoch, j], card, colour, uno };
  }
  'on colour'(seat, e, [colour]) { return { colour }; }
  'on heard'(seat, e, [bytes, signature]) {
    const owner = this.engine.s.window, writer = this.seats[owner], entry = this.taken.find(x => x.writer === writer);
    const h = header(bytes, 'body');
    must(entry, 'heard', 'a call of one who was dropped');
    must(same(h.table, this.roster.table) && h.writer === writer && h.slot === this.number && same(h.digest, this.digest)
      && h.kind === 'called' && same(h.bodyHash, EMPTY_BODY) && h.number <= entry.number, 'heard', 'no call of this window');
    must(signed(this.roster.players[writer].key, 'entry', bytes, signature), 'heard', 'not signed by the owner');
    // A header that contradicts the tape of one who is out by it already says nothing about who carries it.
    must(h.number === entry.number || !same(h.hash, this.feeds[writer].entries[h.number].hash), 'heard', 'an older call');
  }
  'on challenge'(seat, e, [data]) {
    this.oneTime = { Z: proofs.verifyBoxKey(this.context(seat), data) };
  }
  'on verdict'(seat, e, [guilty, data, proof]) {
    const { hand, colour, challenger } = this.engine.s.challenge, edition = this.engine.edition;
    const places = hand.map(h => this.place(h, seat)), c = this.context(seat);
    const box = proofs.verifyBox(c, challenger, this.oneTime.Z, data, 34 * hand.length);
    const bad = id => { const f = face(edition, id); return isWild(f) || f.colour === colour; };
    const ids = allIds(edition).filter(id => bad(id) === guilty);
    once(() => { (guilty ? proofs.verifyOne : proofs.verifyAll)(c, edition, ids, places, proof); return true; }, e.bytes);
    Object.assign(this.oneTime, { box, places, who: { writer: e.writer, number: e.number } });
    return { guilty };
  }
  'on complaint'(seat, e, [key]) {
    const { Z, box, places, who } = this.oneTime, z = scalar(key, 'body');
    must(mul(G, z).equals(Z), 'complaint', 'another key');
    const plain = proofs.openBox(box, mul(box.E, z));
    let fine = false;
    try { fine = plain && proofs.verifyOpenings(this.engine.edition, places, plain); } catch (x) { if (!(x instanceof Invalid)) throw x; }
    must(!fine, 'complaint', 'the sealed hand is in order');
    throw new Invalid('sealed hand', 'the sealed hand is not in order', { ...who, refuted: true });
  }
  'on show'(seat, e, [cards, proof]) {
    for (const c of cards) this.shown(seat, ...c);
    const rest = this.engine.s.hands[seat].filter(([a, b]) => !cards.some(c => c[0] === a && c[1] === b));
    if (!rest.length) must(!proof.length, 'kept', 'a proof about nothing');
    else {
      const edition = this.engine.edition, ids = allIds(edition).filter(c => !isIcon(face(edition, c)));
      once(() => { proofs.verifyAll(this.context(seat), edition, ids, rest.map(h => this.place(h, seat)), proof); return true; }, e.bytes);
    }
    return { cards: cards.map(c => c[2]), handles: cards.map(c => [c[0], c[1]]) };
  }
  'on commit'(seat, e, [commitment]) { return { commitment }; }
  'on reveal'(seat, e, [salt, cards]) {
    const { at, by } = this.committed;
    const again = H('choice', this.roster.table, enc([at, seat]), salt, enc(cards.map(c => c.slice(0, 3))));
    must(same(again, by.get(seat)), 'choice');
    for (const c of cards) this.shown(seat, ...c);
    return { cards: cards.map(c => c[2]), handles: cards.map(c => [c[0], c[1]]) };
  }
  'on open'(seat, e, [list]) {
    const hand = this.engine.s.hands[seat];
    must(list.length === hand.length, 'hand', 'not the whole hand');
    list.forEach(([card, key], i) => this.shown(seat, ...hand[i], card, key));
    return { cards: list.map(([c]) => c), handles: hand };
  }
  'on shares'(seat, e, [data]) { this.going.shares(seat, data); }
  'on end'(seat, e, [digest]) { must(same(digest, this.engine.digest()), 'final digest'); }
}
