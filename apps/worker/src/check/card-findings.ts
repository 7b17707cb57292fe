import type { PluginCard } from '@longshore/core';
import { Parser } from 'htmlparser2';
import type { Finding } from './plugin-report.ts';

/** Attributes whose addresses a browser loads as it builds the page, by what in a policy allows it. */
const LOADED: Readonly<Record<Allowance, Readonly<Record<string, readonly string[]>>>> = {
  resourceDomains: {
    script: ['src', 'href', 'xlink:href'],
    link: ['href'],
    img: ['src'],
    input: ['src'],
    audio: ['src'],
    video: ['src', 'poster'],
    source: ['src'],
    track: ['src'],
    image: ['href', 'xlink:href'],
    use: ['href', 'xlink:href'],
  },
  frameDomains: { iframe: ['src'], frame: ['src'], embed: ['src'], object: ['data'] },
  baseUriDomains: { base: ['href'] },
};
type Allowance = 'resourceDomains' | 'frameDomains' | 'baseUriDomains';

/** Inside of a script and a style sheet: addresses of elsewhere that are loaded before anything runs, or soon after. */
const IN_SCRIPT = /\b(?:import|from)\b\s*\(?\s*['"`]((?:https?:)?\/\/[^'"`\s]+)/g;
const IN_STYLE = /(?:@import\s+|url\(\s*)['"]?((?:https?:)?\/\/[^'")\s]+)/g;

/** Nobody's: what is below it was written without an origin. */
const NOWHERE = 'https://card.invalid';

/** What is in the document or in the address itself. */
const INSIDE = /^\s*(#|data:|blob:|about:|$)/i;

interface Load {
  /** As in the document: `<script src="https://...">`. */
  readonly shown: string;
  readonly address: string;
  readonly allowance: Allowance;
  readonly isScript: boolean;
}

/** What hosts do not load for a card, and what it lets others do. Hosts see to it whatever is found here. */
export function cardFindings({ html, csp }: PluginCard): Finding[] {
  return loadsOf(html).flatMap((load): Finding[] => {
    const { shown, allowance, isScript } = load;
    const origin = originOf(load.address);
    if (origin === NOWHERE) {
      const message = `card: ${shown} loads nothing, a card is a single document: put it in there`;
      return [{ level: 'error', message }];
    }
    const declared = csp[allowance];
    if (!Array.isArray(declared) || !declared.some((one) => covers(String(one), origin))) {
      const message = `card: ${shown} is from elsewhere, and hosts stop it: put it into the document, or name ${origin} in ui.csp.${allowance}`;
      return [{ level: 'error', message }];
    }
    if (!isScript) return [];
    const message = `card: ${shown} lets ${origin} do whatever the card may: put it into the document`;
    return [{ level: 'warning', message }];
  });
}

function loadsOf(html: string): Load[] {
  const loads: Load[] = [];
  const text = (pattern: RegExp, isScript: boolean, content: string): void => {
    for (const [shown, address = ''] of content.matchAll(pattern))
      loads.push({ shown, address, allowance: 'resourceDomains', isScript });
  };
  let inside = '';
  const parser = new Parser({
    onopentag: (name, attributes) => {
      inside = name;
      text(IN_STYLE, false, attributes['style'] ?? '');
      for (const [allowance, elements] of Object.entries(LOADED) as [
        Allowance,
        Readonly<Record<string, readonly string[]>>,
      ][]) {
        for (const attribute of elements[name] ?? []) {
          const address = attributes[attribute];
          if (address === undefined || INSIDE.test(address)) continue;
          const shown = `<${name} ${attribute}="${address}">`;
          loads.push({ shown, address, allowance, isScript: name === 'script' });
        }
      }
    },
    onclosetag: () => {
      inside = '';
    },
    ontext: (content) => {
      if (inside === 'script') text(IN_SCRIPT, true, content);
      if (inside === 'style') text(IN_STYLE, false, content);
    },
  });
  parser.end(html);
  return loads;
}

function originOf(address: string): string {
  return URL.canParse(address, NOWHERE) ? new URL(address, NOWHERE).origin : NOWHERE;
}

/** @param declared an origin, whose host may begin with `*.` */
function covers(declared: string, origin: string): boolean {
  if (!declared.includes('*')) return new URL(declared).origin === origin;
  const [scheme = '', rest = ''] = declared.split('*');
  return origin.startsWith(scheme) && origin.endsWith(rest);
}
