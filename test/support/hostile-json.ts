import type { SeededRandom } from './seeded-random.ts';

/** Stands for a depth that JSON.stringify could not write. */
const DEEP = /"@deep-(\d+)-(array|object)@"/g;

/** Values that break what trusts its input. */
function hostileValue(random: SeededRandom): unknown {
  return random.pick<() => unknown>([
    () => null,
    () => random.chance(0.5),
    () => random.pick([-1, 0, 1.5, 1e308, 2 ** 53, -(2 ** 31), 1e-300]),
    () => random.pick(['', ' ', '\u0000', '\ud800', '\uffff', '__proto__', 'constructor', 'NaN']),
    () => random.pick(['toString', '../../etc/passwd', "'; DROP TABLE tasks; --", '%00', '\u202e']),
    () => 'v\r\nX-Injected: 1\r\n\r\n',
    () => 'x'.repeat(random.pick([256, 4_096, 65_536])),
    () => '💥'.repeat(random.pick([1, 500, 20_000])),
    () => '00000000-0000-4000-8000-000000000000',
    () => [],
    () => ({}),
    () => Array.from({ length: random.pick([3, 2_000]) }, () => 0),
    () =>
      Object.fromEntries(Array.from({ length: random.pick([3, 2_000]) }, (_, n) => [`k${n}`, n])),
    () => pollution(random),
    () => `@deep-${random.pick([20, 500, 5_000, 60_000])}-${random.pick(['array', 'object'])}@`,
  ])();
}

/** What a careless merge would write to a prototype. */
function pollution(random: SeededRandom): unknown {
  const payload = { polluted: true, isAdmin: true, toString: 1, name: 'echo' };
  return JSON.parse(
    random.pick([
      `{"__proto__":${JSON.stringify(payload)}}`,
      `{"constructor":{"prototype":${JSON.stringify(payload)}}}`,
      `{"a":{"__proto__":{"__proto__":null}},"__defineGetter__":1,"hasOwnProperty":0}`,
      `{"length":4294967295,"0":"x","toJSON":"x","then":1}`,
    ]),
  );
}

/** A copy of a JSON value with up to three of its members bent. */
export function mutated(random: SeededRandom, value: unknown): unknown {
  let bent = value;
  for (let turns = 1 + random.int(3); turns > 0; turns -= 1) bent = bentOnce(random, bent);
  return bent;
}

function bentOnce(random: SeededRandom, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return hostileValue(random);
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.3)) return [...value, hostileValue(random)];
    const index = random.int(value.length);
    return value.map((item, at) => (at === index ? bentOnce(random, item) : item));
  }
  const entries = Object.entries(value);
  const deeper = entries.filter(([, item]) => typeof item === 'object' && item !== null);
  if (deeper.length > 0 && random.chance(0.6)) {
    const [name, item] = random.pick(deeper);
    return withMember(value, name, bentOnce(random, item));
  }
  if (entries.length > 0 && random.chance(0.25)) {
    const [gone] = random.pick(entries);
    return Object.fromEntries(entries.filter(([name]) => name !== gone));
  }
  const name =
    entries.length === 0 || random.chance(0.3)
      ? random.pick([
          '__proto__',
          'constructor',
          'x',
          '',
          'toJSON',
          'params',
          'task',
          '_meta',
          'id',
        ])
      : random.pick(entries)[0];
  return withMember(value, name, hostileValue(random));
}

/** Also of names that assignment would not make a member. */
function withMember(value: object, name: string, item: unknown): object {
  return Object.fromEntries([...Object.entries(value), [name, item]]);
}

/** JSON text of a value, now and then with the same member twice, or in an unusual spelling. */
export function hostileText(random: SeededRandom, value: unknown): string {
  let text = JSON.stringify(value) ?? 'null';
  text = text.replace(DEEP, (_all, depth, kind) => nested(Number(depth), kind));
  if (random.chance(0.1)) text = text.replace('{', '{"method":"tools/call","id":1,"__proto__":{},');
  if (random.chance(0.05)) text = text.replace(/:(\d+)/, ':1e999');
  if (random.chance(0.05)) text = text.replaceAll('e', '\\u0065');
  if (random.chance(0.03)) text = ` \n\t${text}\r\n`;
  return text;
}

function nested(depth: number, kind: string): string {
  return kind === 'array'
    ? '['.repeat(depth) + ']'.repeat(depth)
    : `${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`;
}
