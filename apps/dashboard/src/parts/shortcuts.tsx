import { Kbd, Modal, Table } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { readAllAgain, toggleLive } from '../api/live.ts';
import { singleKeys } from '../state/preferences.ts';

const PLACES = {
  o: '/',
  t: '/tasks',
  l: '/tools',
  w: '/workers',
  q: '/queues',
  s: '/schedules',
  p: '/access',
  k: '/webhooks',
  h: '/audit',
  a: '/api',
} as const;

const HELP = [
  ['/', 'Search'],
  ['f', 'Filter'],
  ['j, k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['x, Shift X', 'Select the row, or all rows from the last one'],
  ['[, ]', 'Newer and older page'],
  ['r', 'Read again'],
  ['l', 'Follow what happens, or stop'],
  ['g, then o t l w q s p', 'Overview, Tasks, Tools, Workers, Queues, Schedules, Keys'],
  ['Esc', 'Close, or leave a field'],
  ['?', 'This list'],
] as const;

/** Keys that find what a page marks as the thing for them: `data-search`, `data-filter`, `data-row`, `data-newer`, `data-older`. */
export function Shortcuts({
  isHelpOpen,
  openHelp,
}: {
  isHelpOpen: boolean;
  openHelp: (isOpen: boolean) => void;
}) {
  const navigate = useNavigate();
  const isGoing = useRef(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, target, shiftKey } = event;
      if (target instanceof HTMLElement && key === 'Escape' && isTyping(target)) target.blur();
      if (event.ctrlKey || event.metaKey || event.altKey || singleKeys.get() === 'off') return;
      if (
        (target instanceof HTMLElement && isTyping(target)) ||
        document.querySelector('[role=dialog], [role=menu]')
      )
        return;
      const place = isGoing.current && key in PLACES ? PLACES[key as keyof typeof PLACES] : null;
      isGoing.current = key === 'g';
      const acts: Readonly<Record<string, () => void>> = {
        '/': () => find('[data-search]')?.focus(),
        f: () => find('[data-filter]')?.focus(),
        j: () => step(1),
        k: () => step(-1),
        x: () => pick(shiftKey),
        '[': () => find('[data-newer]')?.click(),
        ']': () => find('[data-older]')?.click(),
        r: readAllAgain,
        l: toggleLive,
        '?': () => openHelp(true),
      };
      const act = place === null ? acts[key.toLowerCase()] : () => void navigate({ to: place });
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [navigate, openHelp]);
  return (
    <Modal
      opened={isHelpOpen}
      onClose={() => openHelp(false)}
      title="Keyboard"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Table>
        <tbody>
          {HELP.map(([keys, what]) => (
            <tr key={keys}>
              <td style={{ paddingRight: 16, whiteSpace: 'nowrap' }}>
                <Kbd>{keys}</Kbd>
              </td>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Modal>
  );
}

const isTyping = (element: HTMLElement): boolean =>
  element.isContentEditable ||
  element.matches('textarea, select, input:not([type=checkbox]):not([type=radio])');

const find = (selector: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(selector);

const rows = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('[data-row]')];
const current = (): HTMLElement | undefined =>
  rows().find((row) => row.contains(document.activeElement));

function step(by: number): void {
  const all = rows();
  const row = current();
  const next = row === undefined ? (by > 0 ? 0 : all.length - 1) : all.indexOf(row) + by;
  all[next]?.querySelector<HTMLElement>('a')?.focus();
}

function pick(shiftKey: boolean): void {
  current()
    ?.querySelector<HTMLElement>('input[type=checkbox]')
    ?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey }));
}
