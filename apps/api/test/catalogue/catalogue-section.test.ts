import { describe, expect, it } from '@jest/globals';
import { CatalogueSection } from '../../src/catalogue/catalogue-section.ts';

interface Entry {
  readonly name: string;
  readonly shown: string;
  readonly hidden?: string;
}

const section = (...entries: Entry[]): CatalogueSection<Entry> => {
  const made = new CatalogueSection<Entry>({
    key: ({ name }) => name,
    wire: ({ name, shown }) => ({ name, shown }),
  });
  made.adopt(entries);
  return made;
};
const all = (): boolean => true;
const named = (name: string): Entry => ({ name, shown: '' });

describe('CatalogueSection', () => {
  it('pages in the order of keys, and says where to go on only when there is more', () => {
    const made = section(named('c'), named('a'), named('B'), named('b'));
    const first = made.page(null, 2, all);
    expect(first.entries.map(({ name }) => name)).toEqual(['B', 'a']);
    expect(first.next).toBe('a');
    const second = made.page(first.next, 2, all);
    expect(second.entries.map(({ name }) => name)).toEqual(['b', 'c']);
    expect(second.next).toBeNull();
  });

  it('fills its pages with what is visible', () => {
    const made = section(named('a'), named('b'), named('c'), named('d'));
    const visible = ({ name }: Entry): boolean => name !== 'b';
    expect(made.page(null, 2, visible)).toEqual({ entries: [named('a'), named('c')], next: 'c' });
    expect(made.page('c', 1, ({ name }) => name === 'b')).toEqual({ entries: [], next: null });
  });

  it('goes on behind an entry that is gone by then', () => {
    const made = section(named('a'), named('b'), named('c'));
    const { next } = made.page(null, 2, all);
    made.adopt([named('a'), named('bb'), named('c')]);
    expect(made.page(next, 2, all).entries.map(({ name }) => name)).toEqual(['bb', 'c']);
  });

  it('keeps the object of an entry that is the same', () => {
    const made = section(named('a'), named('b'));
    const [a, b] = [made.find('a'), made.find('b')];
    made.adopt([{ ...named('b'), hidden: 'new' }, named('a')]);
    expect(made.find('a')).toBe(a);
    expect(made.find('b')).not.toBe(b);
    expect(made.find('b')).toMatchObject({ hidden: 'new' });
  });

  it('looks different only when clients can see a difference', () => {
    const made = section(named('a'), named('b'));
    const before = made.visible;
    made.adopt([{ ...named('b'), hidden: 'new' }, named('a')]);
    expect(made.visible).toBe(before);
    made.adopt([{ ...named('b'), shown: 'new' }, named('a')]);
    expect(made.visible).not.toBe(before);
  });
});
