// The game (section 11): a deterministic machine. Inputs: epochReady, keysReleased, turnUp, answer; and of section 12
// seatLeft, roundVoided, keysLost.
import { must } from './bytes.mjs';
import { H } from './hash.mjs';
import { enc } from './msgpack.mjs';
import { allIds, editions, face, isIcon, isNumber, isWild, points } from './editions.mjs';

const FIRST = 0, TURN_UP = 1, FORCED = 2, DEAL = 3, DRAWN = 4, WINDOW = 5, ANSWER = 6, SKIP = 7, NEXT = 8, OPEN = 9, SCORE = 10;
const task = (step, { seat = -1, flag = false, deals = [] } = {}) => [step, seat, flag, deals];
const Forced = deals => task(FORCED, { deals });
const Deal = deals => task(DEAL, { deals });
const Skip = seat => task(SKIP, { seat });
const Next = () => task(NEXT);
const RESHUFFLES = 20;
const sameHandle = (a, b) => a[0] === b[0] && a[1] === b[1];
const byHandle = (a, b) => a[0] - b[0] || a[1] - b[1];
const ascending = list => [...list].sort((a, b) => a - b);

// Answers that can wait in the state while a slot `shares` is open.
const cardsOf = a => a.cards.map((c, i) => [a.handles[i], c]);
const ACTIONS = {
  draw: () => ['Draw'], called: () => ['Called'], quiet: () => ['Quiet'], heard: () => ['Heard'], caught: () => ['Caught'], silent: () => ['Silent'],
  show: a => ['ShowCards', cardsOf(a)], reveal: a => ['Discard', cardsOf(a)], open: a => ['OpenHand', cardsOf(a)],
};

export class Engine {
  constructor(options, players) {
    const n = this.n = players;
    this.rules = editions[options.edition];
    this.edition = options.edition;
    this.s = {
      options: { edition: options.edition, seats: n, target: options.target, stacking: options.stacking },
      seatsIn: Array.from({ length: n }, (_, i) => i), scores: Array(n).fill(0), winner: null, byDefault: false, answers: [],
    };
    this.startRound(0, 0);
  }

  startRound(round, dealer) {
    const n = this.n, none = () => Array.from({ length: n }, () => []);
    Object.assign(this.s, {
      round, dealer, turn: dealer, hands: none(), draw: [], discard: [], opened: none(), origin: Array(this.rules.cards).fill(0),
      colour: null, drawn: null, window: null, challenge: null, roundWinner: null, direction: 1, epoch: 0, reshuffles: 0, stack: 0,
      passes: 0, uno: Array(n).fill(false), agenda: [task(FIRST)], pending: ['NeedEpoch', allIds(this.edition)],
    });
  }

  encode() {
    const s = this.s, c = s.challenge;
    return enc([1, ['State', ['Options', s.options.edition, s.options.seats, s.options.target, s.options.stacking],
      s.round, s.dealer, s.seatsIn, s.hands, s.draw, s.discard, s.origin, s.colour, s.direction, s.turn, s.epoch, s.reshuffles, s.stack,
      s.drawn, s.uno, s.passes, s.window, c && [c.accused, c.hand, c.colour, c.challenger, c.guilty], s.opened, s.roundWinner,
      s.scores, s.winner, s.byDefault, s.pending, s.answers.map(([p, a]) => [p, ACTIONS[a.kind](a)]), s.agenda]]);
  }
  digest() { return H('engine state', this.encode()); }

  get pending() { return this.s.pending; }
  face(c) { return face(this.edition, c); }
  top() { return this.s.discard.at(-1); }
  // The next seat that is in, from this one on.
  along(seat, by) {
    let p = seat;
    do p = (p + by + this.n) % this.n; while (!this.s.seatsIn.includes(p) && p !== seat);
    return p;
  }
  after(seat) { return this.along(seat, this.s.direction); }
  left(seat) { return this.along(seat, 1); }
  available() { return this.s.draw.length + (this.s.reshuffles < RESHUFFLES ? Math.max(0, this.s.discard.length - 1) : 0); }
  ask(kind, seats) { this.s.pending = ['NeedActions', kind, ascending(seats)]; }
  all() { return this.s.seatsIn; }
  possible(handle, card) { return !this.s.discard.includes(card) && this.s.origin[card] === handle[0]; }

  run() {
    const s = this.s;
    while (!s.pending) {
      if (s.roundWinner === null && s.reshuffles >= RESHUFFLES && !s.draw.length) this.drawnRound();
      else this.step(s.agenda.shift());
    }
  }
  drawnRound() {
    Object.assign(this.s, { agenda: [], stack: 0, drawn: null, window: null, challenge: null });
    this.ask('round end', this.all());
  }

  step([step, seat, flag, deals]) {
    const s = this.s;
    switch (step) {
      case FIRST: {
        const given = [];
        let p = s.dealer;
        const m = s.seatsIn.length;
        for (let k = 0; k < m; k++) {
          p = this.left(p);
          for (let at = k; at < 7 * m; at += m) s.hands[p].push(s.draw[at]);
          given.push([p, [...s.hands[p]]]);
        }
        s.draw = s.draw.slice(7 * m);
        s.agenda = [task(TURN_UP)];
        s.pending = ['NeedKeys', given];
        break;
      }
      case TURN_UP: s.pending = ['NeedFace', s.draw[0]]; break;
      case FORCED: {
        const due = deals.filter(([p, count]) => count && s.seatsIn.includes(p));
        if (due.length && this.available()) { s.agenda.unshift(Deal(due)); this.ask('draw', due.map(([p]) => p)); }
        break;
      }
      case DEAL: this.deal(deals); break;
      case DRAWN: s.drawn = s.hands[seat].at(-1); this.ask('drawn', [seat]); break;
      case WINDOW:
        if (s.hands[seat].length !== 1) break;
        if (flag) s.uno[seat] = true; else { s.window = seat; this.ask('window', this.all()); }
        break;
      case ANSWER: s.turn = this.after(s.turn); this.ask('answer', [s.turn]); break;
      case SKIP: s.turn = seat; break;
      case NEXT: s.turn = this.after(s.turn); this.ask('move', [s.turn]); break;
      case OPEN: {
        const holders = this.all().filter(p => s.hands[p].length);
        if (holders.length) this.ask('open', holders);
        break;
      }
      case SCORE: {
        const w = s.roundWinner;
        for (const c of s.opened.flat()) s.scores[w] += points(this.face(c));
        if (s.scores[w] >= s.options.target) {
          Object.assign(s, { winner: w, agenda: [] });
          if (s.seatsIn.length) this.ask('end', this.all()); else s.pending = ['MatchOver'];
        } else if (s.seatsIn.length < 2) this.byDefault();
        else this.ask('round end', this.all());
        break;
      }
      default: throw new Error('no such step');
    }
  }

  deal(deals) {
    const s = this.s;
    if (!deals.some(([, count]) => count)) return;
    if (!s.draw.length) {
      if (!this.available()) return;
      s.agenda.unshift(Deal(deals));
      s.epoch++;
      s.pending = ['NeedEpoch', ascending(s.discard.slice(0, -1))];
      return;
    }
    const given = [], rest = [];
    for (const [p, count] of deals) {
      const cards = s.draw.splice(0, count);
      s.hands[p].push(...cards);
      s.uno[p] &&= s.hands[p].length === 1;
      if (cards.length) given.push([p, cards]);
      if (cards.length < count) rest.push([p, count - cards.length]);
    }
    if (rest.length) s.agenda.unshift(Deal(rest));
    s.pending = ['NeedKeys', given];
  }

  // ---- inputs of the protocol ----

  epochReady(ids) {
    const s = this.s;
    s.pending = null;
    s.draw = ids.map((_, j) => [s.epoch, j]);
    for (const c of ids) s.origin[c] = s.epoch;
    if (s.epoch) { s.discard = s.discard.slice(-1); s.reshuffles++; }
    this.run();
  }
  keysReleased() { this.s.pending = null; this.run(); }
  turnUp(card) {
    const s = this.s, f = this.face(card), first = this.left(s.dealer);
    must(this.possible(s.pending[1], card), 'rules', 'a card that cannot be there');
    s.pending = null;
    s.draw.shift();
    s.discard.push(card);
    const ignored = this.rules.starts ? f.kind === 'four' : !isNumber(f);
    if (ignored) s.agenda = [task(TURN_UP)];
    else {
      s.colour = f.colour;
      s.agenda = [Next()];
      if (f.kind === 'skip') s.agenda = [Skip(first), Next()];
      if (f.kind === 'reverse') { s.turn = first; s.direction = -1; }
      if (f.kind === 'two') {
        if (s.options.stacking) { s.stack += 2; s.agenda = [task(ANSWER)]; } else s.agenda = [Forced([[first, 2]]), Skip(first), Next()];
      }
      if (isWild(f)) this.ask('colour', [first]);
    }
    this.run();
  }

  // ---- actions ----

  // Is this answer, after those in `before`, within the rules? Kinds are those of entries.
  check(seat, a, before) {
    const s = this.s, kind = s.pending[1], ok = (x, why) => must(x, 'rules', why);
    switch (kind) {
      case 'move':
        if (a.kind === 'draw') ok(this.available(), 'no card to draw');
        if (a.kind === 'pass') ok(!this.available(), 'a pass while cards are left');
        if (a.kind === 'play') this.checkPlay(seat, a, f => this.matches(f));
        break;
      case 'drawn':
        if (a.kind === 'play') { ok(sameHandle(a.handle, s.drawn), 'another card than the one drawn'); this.checkPlay(seat, a, f => this.matches(f)); }
        break;
      case 'answer':
        if (a.kind === 'play') this.checkPlay(seat, a, f => f.kind === this.face(this.top()).kind);
        break;
      case 'window':
        ok((seat === s.window) === ['called', 'quiet'].includes(a.kind), 'not for this seat to say');
        break;
      case 'show': {
        const seen = before.flatMap(b => b.cards);
        a.cards.forEach((c, i) => {
          ok(isIcon(this.face(c)), 'no icon');
          ok(i === 0 || byHandle(a.handles[i - 1], a.handles[i]) < 0, 'not sorted');
          ok(!seen.includes(c) && a.cards.indexOf(c) === i, 'a card twice');
          ok(this.possible(a.handles[i], c), 'a card that cannot be there');
        });
        break;
      }
      case 'choose': {
        const seen = before.flatMap(b => b.cards);
        ok(a.cards.length === s.hands[seat].length - 4, 'not the hand less four');
        a.cards.forEach((c, i) => {
          ok(i === 0 || byHandle(a.handles[i - 1], a.handles[i]) < 0, 'not sorted');
          ok(!seen.includes(c) && a.cards.indexOf(c) === i, 'a card twice');
          ok(this.possible(a.handles[i], c), 'a card that cannot be there');
        });
        break;
      }
      case 'open': {
        const seen = before.flatMap(b => b.cards);
        a.cards.forEach((c, i) => {
          ok(!seen.includes(c) && a.cards.indexOf(c) === i, 'a card twice');
          ok(this.possible(s.hands[seat][i], c), 'a card that cannot be there');
        });
        break;
      }
      default: break;
    }
  }
  matches(f) {
    const top = this.face(this.top());
    return isWild(f) || f.colour === this.s.colour || (!isWild(top) && f.kind === top.kind);
  }
  checkPlay(seat, a, fits) {
    const f = this.face(a.card), last = this.s.hands[seat].length === 1;
    must(this.possible(a.handle, a.card), 'rules', 'a card that cannot be there');
    must(fits(f), 'rules', 'the card does not match');
    must(isWild(f) && !last ? [0, 1, 2, 3].includes(a.colour) : a.colour === null, 'rules', 'colour');
    must(last ? a.uno === null : a.uno !== null, 'rules', 'UNO');
  }

  // All seats have answered: [[seat, answer], …] in seat order.
  answer(list) {
    const s = this.s, kind = s.pending[1];
    const [[seat, a]] = list.length ? list : [[null, null]];
    s.pending = null;
    switch (kind) {
      case 'colour': s.colour = a.colour; break;
      case 'move': case 'drawn': case 'answer':
        if (a.kind === 'play') this.play(seat, a);
        if (a.kind === 'draw') { s.passes = 0; s.agenda = [Deal([[seat, 1]]), task(DRAWN, { seat }), Next()]; }
        if (a.kind === 'pass') { s.passes++; s.agenda = [Next()]; if (s.passes >= s.seatsIn.length) this.drawnRound(); }
        if (a.kind === 'keep') s.drawn = null;
        if (a.kind === 'take') { s.agenda = [Deal([[seat, s.stack]]), Skip(seat), Next()]; s.stack = 0; }
        break;
      case 'draw': break;
      case 'window': {
        const owner = s.window, count = k => list.filter(([, x]) => x.kind === k).length;
        const called = list.some(([p, x]) => p === owner && x.kind === 'called');
        const caught = called ? count('heard') < count('caught') : count('caught') > 0 || this.rules.quietCaught;
        s.window = null;
        if (caught) s.agenda.unshift(Forced([[owner, 2]])); else if (called) s.uno[owner] = true;
        break;
      }
      case 'accept':
        if (a.kind === 'challenge') { this.ask('verdict', [s.challenge.accused]); break; }
        this.punish(seat, 4);
        s.challenge = null;
        break;
      case 'verdict': s.challenge.guilty = a.guilty; this.ask('seen', [s.challenge.challenger]); break;
      case 'seen': {
        const { accused, challenger, guilty } = s.challenge;
        s.challenge = null;
        if (guilty) s.agenda.unshift(Forced([[accused, 4]])); else this.punish(challenger, 6);
        break;
      }
      case 'show': this.shown(list); break;
      case 'choose': this.chosen(list); break;
      case 'open': for (const [p, x] of list) s.opened[p] = x.cards; break;
      case 'round end': this.startRound(s.round + 1, this.left(s.dealer)); break;
      case 'end': s.pending = ['MatchOver']; s.agenda = []; break;
      default: throw new Error('no such kind');
    }
    this.run();
  }
  punish(seat, count) {
    this.s.agenda.splice(-1, 0, Skip(seat));
    this.s.agenda.unshift(Deal([[seat, count]]));
  }
  leave(seat, handles) { this.s.hands[seat] = this.s.hands[seat].filter(h => !handles.some(x => sameHandle(x, h))); }

  play(seat, a) {
    const s = this.s, f = this.face(a.card), before = s.colour, following = this.after(seat);
    this.leave(seat, [a.handle]);
    s.discard.push(a.card);
    s.uno[seat] = false;
    Object.assign(s, { drawn: null, passes: 0, colour: isWild(f) ? a.colour ?? before : f.colour });
    const window = task(WINDOW, { seat, flag: a.uno === true });
    const count = f.kind === 'two' ? 2 : f.kind === 'four' ? 4 : 0;
    if (!s.hands[seat].length) {
      Object.assign(s, { roundWinner: seat, stack: 0, agenda: [task(OPEN), task(SCORE)] });
      if (count && this.rules.lastDrawn) s.agenda.unshift(Forced([[following, count]]));
      return;
    }
    s.agenda = [window, Next()];
    if (f.kind === 'skip') s.agenda = [window, Skip(following), Next()];
    if (f.kind === 'reverse') {
      s.direction = -s.direction;
      if (s.seatsIn.length === 2) s.agenda = [window, Skip(following), Next()];
    }
    if (count) {
      if (s.options.stacking) { s.stack += count; s.agenda = [window, task(ANSWER)]; } else if (count === 4 && this.rules.challenge) {
        s.challenge = { accused: seat, hand: [...s.hands[seat]], colour: before, challenger: following, guilty: null };
        this.ask('accept', [following]);
      } else s.agenda = [Forced([[following, count]]), window, Skip(following), Next()];
    }
    if (f.kind === 'minions') this.ask('show', this.all().filter(p => p !== seat));
    if (f.kind === 'ohana') {
      s.uno = Array(this.n).fill(false);
      const many = this.all().filter(p => s.hands[p].length > 4);
      if (many.length) this.ask('choose', many); else this.chosen([]);
    }
  }
  // Seats from the one after the player of the card, who comes last.
  inTurn() {
    const order = [];
    for (let p = this.after(this.s.turn), k = 0; k < this.s.seatsIn.length; k++, p = this.after(p)) order.push(p);
    return order;
  }
  shown(list) {
    const s = this.s, answers = new Map(list), deals = [];
    for (const p of this.inTurn()) {
      const a = answers.get(p);
      if (!a) continue;
      this.leave(p, a.handles);
      for (const c of ascending(a.cards)) s.discard.unshift(c);
      deals.push([p, a.cards.length]);
    }
    s.agenda.unshift(Forced(deals));
  }
  chosen(list) {
    const s = this.s, answers = new Map(list), deals = [];
    for (const p of this.inTurn()) {
      const a = answers.get(p);
      if (a) {
        this.leave(p, a.handles);
        s.discard.splice(-1, 0, ...ascending(a.cards));
      }
      if (s.hands[p].length < 4) deals.push([p, 4 - s.hands[p].length]);
    }
    s.agenda.unshift(Forced(deals));
  }

  // ---- a seat has gone (section 12) ----

  get scored() { return this.s.pending[0] === 'NeedActions' && ['round end', 'end'].includes(this.s.pending[1]); }
  stop() { Object.assign(this.s, { agenda: [], answers: [], stack: 0, drawn: null, window: null, challenge: null }); }
  byDefault() {
    this.stop();
    if (!this.s.seatsIn.length) { this.s.pending = ['MatchOver']; return; }
    [this.s.winner] = this.s.seatsIn;
    this.s.byDefault = true;
    this.ask('end', this.all());
  }
  goOn() { this.s.pending = null; this.s.answers = []; this.run(); }

  // `cards` are the ids of its hand, null for what cannot be opened; `refuted`: the complaint about its verdict was right.
  seatLeft(seat, cards, refuted) {
    const s = this.s, { scored } = this, [what, kind, asked] = s.pending, known = cards.filter(c => c !== null);
    if (!scored && s.roundWinner === null) {
      s.discard.unshift(...ascending(known).reverse());
      s.hands[seat] = [];
    } else if (!scored) s.opened[seat] = kind === 'open' ? s.answers.find(([p]) => p === seat)?.[1].cards ?? known : known;
    s.seatsIn = s.seatsIn.filter(p => p !== seat);
    if (s.seatsIn.length < 2 && s.winner === null && (scored || s.roundWinner === null)) { this.byDefault(); return; }
    s.uno[seat] = false;
    s.passes = 0;
    s.agenda = s.agenda.filter(t => ![DRAWN, WINDOW].includes(t[0]) || t[1] !== seat)
      .map(([step, p, flag, deals]) => [step, p, flag, deals.filter(([q]) => q !== seat)]);
    const c = s.challenge;
    if (refuted && c) c.guilty = null;
    if (what === 'NeedEpoch') { if (s.epoch) s.pending = ['NeedEpoch', ascending(s.discard.slice(0, -1))]; }
    else if (what === 'NeedKeys') {
      const deals = kind.filter(([p]) => p !== seat);
      if (deals.length) s.pending = ['NeedKeys', deals]; else this.goOn();
    } else if (what === 'NeedActions') this.unasked(seat, kind, asked, c);
  }
  unasked(seat, kind, asked, c) {
    const s = this.s;
    if (c && seat === c.accused && c.guilty !== null) return;
    if (c && [c.accused, c.challenger].includes(seat)) {
      s.challenge = null;
      if (c.guilty) s.agenda.unshift(Forced([[c.accused, 4]])); else if (seat === c.challenger) s.agenda.splice(-1, 0, Skip(seat));
      this.goOn();
    } else if (s.window === seat) { s.window = null; this.goOn(); }
    else if (!asked.includes(seat)) return;
    else if (kind === 'colour') this.ask('colour', [this.after(seat)]);
    else if (['move', 'drawn', 'answer'].includes(kind)) { this.stop(); s.agenda = [Next()]; this.goOn(); }
    else {
      const left = asked.filter(p => p !== seat), list = s.answers.filter(([p]) => p !== seat);
      s.pending = ['NeedActions', kind, left];
      s.answers = list;
      if (left.every(p => list.some(([q]) => q === p))) { s.answers = []; this.answer(list); }
    }
  }
  roundVoided(seats) {
    const s = this.s;
    s.seatsIn = s.seatsIn.filter(p => !seats.includes(p));
    this.stop();
    if (s.seatsIn.length < 2) {
      Object.assign(s, { hands: s.hands.map(() => []), draw: [], discard: [] });
      this.byDefault();
    } else this.startRound(s.round + 1, s.seatsIn.includes(s.dealer) ? s.dealer : this.left(s.dealer));
  }
  keysLost() {
    const s = this.s, deals = s.pending[1];
    for (const [p, handles] of deals) this.leave(p, handles);
    for (const [, handles] of deals) s.draw.unshift(...handles);
    s.agenda = s.agenda.filter(([step]) => ![FORCED, DEAL].includes(step));
    this.goOn();
  }
}
