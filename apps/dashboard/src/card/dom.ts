import { ICON_PATHS } from '../state/looks.ts';

type Attributes = Readonly<Record<string, string>>;

/** An element. Text of others comes in as text nodes, and nowhere in the card as HTML. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...inside: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...inside);
  return element;
}

/** @returns not pressed twice while what it does goes on */
export function button(label: string, run: () => void | Promise<void>): HTMLButtonElement {
  const made = make('button', { type: 'button' }, label);
  made.onclick = () => {
    const going = run();
    if (going === undefined) return;
    made.disabled = true;
    void going.finally(() => {
      made.disabled = false;
    });
  };
  return made;
}

/** A button that asks whether one means it: frames like this one have no dialogs. */
export function doubtful(label: string, sure: string, run: () => Promise<void>): HTMLButtonElement {
  let calm = 0;
  const made: HTMLButtonElement = button(label, () => {
    clearTimeout(calm);
    if (made.textContent === sure) {
      made.textContent = label;
      return run();
    }
    made.textContent = sure;
    calm = window.setTimeout(() => {
      made.textContent = label;
    }, 5_000);
    return undefined;
  });
  return made;
}

export function icon(name: string): SVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const drawn = document.createElementNS(space, 'svg');
  const path = document.createElementNS(space, 'path');
  drawn.setAttribute('viewBox', '0 0 16 16');
  drawn.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', ICON_PATHS[name] ?? '');
  drawn.append(path);
  return drawn;
}

/** Sets what differs, so that nothing is read out, selected or moved anew that is as it was. */
export function say(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;
