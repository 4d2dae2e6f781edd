#!/usr/bin/env node
// node verify.mjs FILE: one sentence; exit code 0 complete, 1 invalid, 2 unreadable, 3 unfinished (section 16).
import fs from 'node:fs';
import { crc32, rolling } from './crc.mjs';
import { hex, Invalid, join, must, same, text } from './bytes.mjs';
import { dec, isArray, isBytes } from './msgpack.mjs';
import { entry, equivocation, header } from './entry.mjs';
import { signed } from './identity.mjs';
import { roster } from './table.mjs';
import { FORK } from './forks.mjs';
import { Match } from './match.mjs';

const FIRST = text('nodealer transcript 1\n');
const LIMIT = 262208;

// Do these bytes begin with a payload that is followed by its CRC?
function whole(tail) {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength), step = rolling();
  for (let end = 1; end + 4 <= tail.length; end++) if (step(tail[end - 1]) === view.getUint32(end)) return true;
  return false;
}

// Records of a file: {payload}, or {torn: true} once at the end. A damaged record throws.
function* records(file) {
  for (let at = FIRST.length; at < file.length;) {
    const view = new DataView(file.buffer, file.byteOffset + at, file.length - at);
    if (view.byteLength < 4) return yield { torn: true };
    const size = view.getUint32(0);
    must(size <= LIMIT, 'record', 'a length over the limit');
    if (view.byteLength < size + 8) {
      must(!whole(file.subarray(at + 4)), 'record', 'a length that was changed');
      return yield { torn: true };
    }
    const payload = file.subarray(at + 4, at + 4 + size), crc = view.getUint32(4 + size);
    if (size === 0 || crc32(payload) !== crc) {
      // Zeros to the end of the file are what a crash can leave.
      const zeros = from => file.subarray(from).every(byte => byte === 0);
      must(zeros(at + 8 + size) && zeros(file.length - 8), 'record', 'empty, or the CRC does not fit');
      return yield { torn: true };
    }
    yield { payload };
    at += size + 8;
  }
}

const proven = (value, { table, players }) => equivocation(value[1], table, w => players[w]?.key);
function twoRosters([, id, signature], { table, players, host, hostNonce }) {
  must(!same(id, table) && signed(players[host].key, 'roster', join(hostNonce, id), signature), 'evidence', 'proves nothing');
  throw new Invalid('roster', 'the host signed two rosters', { writer: host, number: 0 });
}
const shapes = {
  table: v => v.length === 2,
  entry: v => v.length === 2 && isBytes(v[1]),
  fork: v => v.length === 2 && isArray(v[1], 2) && v[1].every(s => isArray(s, 2) && isBytes(s[1], 64) && header(s[0], 'record')),
  'two rosters': v => v.length === 3 && isBytes(v[1], 32) && isBytes(v[2], 64),
};
function parse(payload) {
  const v = dec(payload, { size: LIMIT, depth: 8, values: 4096, check: 'record' });
  must(isArray(v) && typeof v[0] === 'string' && Object.hasOwn(shapes, v[0]) && shapes[v[0]](v), 'record', 'a record of no kind');
  return v;
}

// The last record with a valid proof of equivocation or an entry `ready`, up to the first that is damaged or torn.
function lastExplaining(file) {
  let last = -1, at = -1, table = null;
  try {
    for (const r of records(file)) {
      at++;
      if (r.torn) break;
      try {
        const v = parse(r.payload);
        if (v[0] === 'table') table ??= roster(v[1]);
        else if (v[0] === 'fork') { proven(v, table); last = at; } else if (v[0] === 'entry' && Buffer.from(v[1]).includes('ready') && entry(v[1]).kind === 'ready') last = at;
      } catch (e) { if (!(e instanceof Invalid)) throw e; }
      if (!table) break;
    }
  } catch (e) { if (!(e instanceof Invalid)) throw e; }
  return last;
}

const told = (e, record) => ({ record: e.record ?? record, check: e.check, why: e.message, writer: e.writer ?? null, number: e.number ?? null });

export function verify(file, note) {
  if (file.length < FIRST.length || !same(file.subarray(0, FIRST.length), FIRST)) return { status: 'unreadable' };
  const explaining = lastExplaining(file), late = [];
  let match = null, count = 0, torn = false, strayed = false, fault = null;
  const source = records(file);
  try {
    for (;;) {
      const { value: r, done } = source.next();
      if (done) break;
      if (r.torn) { torn = true; break; }
      const v = parse(r.payload);
      must(!match?.over || v[0] === 'fork', 'record', 'a record after the end');
      must((v[0] === 'table') === !match, 'record', match ? 'a second roster' : 'no roster first');
      if (v[0] === 'table') {
        match = new Match(roster(v[1]), note);
        match.explained = at => at < explaining;
      } else if (v[0] === 'entry') match.arrive(v[1], count);
      else if (v[0] === 'two rosters') twoRosters(v, match.roster);
      else if (match.over) late.push(proven(v, match.roster).writer); // changes nothing
      else match.prove(proven(v, match.roster), count);
      if (match.strayed) { strayed = true; break; }
      count++;
    }
  } catch (e) {
    if (!(e instanceof Invalid)) throw e;
    fault = told(e, count);
  }
  // Neither a void nor the end has followed on a fork; nobody has played on since somebody was put out.
  const open = fault || strayed ? null : match?.forks.unanswered ?? match?.doubt;
  if (open) fault = told(open, count);
  if (strayed || fault?.writer != null) later(source, match, count, x => { fault = x; });
  const name = w => (w === null ? null : match.roster.players[w].name);
  if (fault) return { status: 'invalid', ...fault, name: name(fault.writer), match };
  return { out: match?.out ?? [], late, status: match?.over && !torn && !strayed ? 'complete' : 'unfinished', records: count, torn, strayed, match };
}
// A proof of equivocation in a later record explains what ended the match here.
function later(source, match, record, report) {
  try {
    for (const r of source) {
      record++;
      if (r.torn) return;
      try {
        const v = parse(r.payload);
        if (v[0] === 'fork') return report({ record, check: 'equivocation', why: FORK, ...proven(v, match.roster) });
      } catch (e) { if (!(e instanceof Invalid)) throw e; }
    }
  } catch (e) { if (!(e instanceof Invalid)) throw e; }
}

// Who was put out or dropped while the others played on.
const out = ({ out = [], late = [], match, strayed }) => {
  const name = w => match.roster.players[w].name;
  return [
    ...out.map(x => ` ${name(x.writer)} was put out at record ${x.record}, check ${x.message}.`),
    ...[...match?.votes.dropped.keys() ?? []].map(w => ` ${name(w)} was dropped.`),
    ...[...match?.forks.out ?? []].filter(([w, how]) => how === 'dropped' && !match.votes.dropped.has(w)).map(([w]) => ` ${name(w)} was dropped with the round.`),
    ...late.map(w => ` ${name(w)} is proven to have signed ${FORK}, which came to light when all was over.`),
    ...match?.ignored.map(x => ` Entry ${x.number} of ${name(x.writer)} counts for nothing.`) ?? [],
    strayed ? ' The others went on in another history than the one here.' : '',
  ].join('');
};

export function sentence(r) {
  const state = r.match?.engine?.s;
  const scores = () => state.scores.map((x, seat) => `${r.match.player(seat).name} ${x}`).join(', ');
  switch (r.status) {
    case 'unreadable': return 'This is no nodealer transcript.';
    case 'invalid': return `Invalid at record ${r.record}: ${r.writer === null ? 'no player is to blame' : `${r.name} (writer ${r.writer}${r.number === null ? '' : `, entry ${r.number}`}) is to blame`}, check ${r.why}.`;
    case 'complete': return `Valid and complete: ${r.records} records, ${state.winner === null ? 'nobody' : r.match.player(state.winner).name} wins (${scores()}), final digest ${hex(r.match.final ?? r.match.digest)}.${out(r)}`;
    default: return `Valid so far, unfinished${r.torn ? ' and torn' : ''}: ${r.records} records${state ? `, ${scores()}` : ''}.${out(r)}`;
  }
}
export const EXIT = { complete: 0, invalid: 1, unreadable: 2, unfinished: 3 };

if (process.argv[1] && import.meta.url === new URL(`file://${fs.realpathSync(process.argv[1])}`).href) {
  let file;
  try { file = new Uint8Array(fs.readFileSync(process.argv[2])); } catch (e) {
    console.log(`Unreadable: ${process.argv[2] ? e.message : 'node verify.mjs FILE'}.`);
    process.exit(2);
  }
  const r = verify(file);
  console.log(sentence(r));
  process.exit(EXIT[r.status]);
}
