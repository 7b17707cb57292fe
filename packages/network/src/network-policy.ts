import { addressKind } from './address-kind.ts';
import { NetworkRefusal } from './network-refusal.ts';

/** Where web sites are. Others (mail, databases) are none of ours, unless the operator names them. */
const WEB_PORTS: ReadonlySet<string> = new Set(['80', '443', '8080', '8443']);

/** Longer ones are refused: no site needs them, and robots.txt is matched against every character. */
const MAX_URL_LENGTH = 2_048;

/** What an operator has granted. */
export interface NetworkGrant {
  /** Names on public addresses; `*.example.com` for all below one, `*` for all. */
  readonly hosts: readonly string[];
  /** name:port on private addresses. */
  readonly privateHosts: readonly string[];
}

/** What may be reached: hosts by their names, and addresses by what they are. */
export class NetworkPolicy {
  readonly #isAllowed: (hostname: string) => boolean;
  readonly #privateHosts: ReadonlySet<string>;

  /** @throws {Error} a grant that says nothing, such as a private host without its port */
  constructor({ hosts, privateHosts }: NetworkGrant) {
    const matchers = hosts.map(hostMatcher);
    this.#isAllowed = (hostname) => matchers.some((matches) => matches(hostname));
    this.#privateHosts = new Set(privateHosts.map(hostAndPort));
  }

  /**
   * Parses a URL and checks what its text tells. The address is checked when a connection is made.
   *
   * @throws {NetworkRefusal} INVALID_URL, HOST_NOT_ALLOWED
   */
  url(text: string, base?: URL): URL {
    const url = URL.canParse(text, base?.href) ? new URL(text, base?.href) : null;
    if (url === null || url.href.length > MAX_URL_LENGTH) {
      throw new NetworkRefusal('INVALID_URL', `is no URL of up to ${MAX_URL_LENGTH} characters`);
    }
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new NetworkRefusal('INVALID_URL', `is ${url.protocol}, not http: or https:`);
    }
    if (url.username !== '' || url.password !== '') {
      throw new NetworkRefusal('INVALID_URL', 'has a user name or password in it');
    }
    url.hash = '';
    const host = hostOf(url.hostname);
    const port = portOf(url);
    if (this.#privateHosts.has(`${host}:${port}`)) return url;
    if (!this.#isAllowed(host)) {
      throw new NetworkRefusal('HOST_NOT_ALLOWED', `${host} is no host this server may reach`);
    }
    if (!WEB_PORTS.has(port)) {
      throw new NetworkRefusal('HOST_NOT_ALLOWED', `port ${port} is none this server may reach`);
    }
    return url;
  }

  /** @throws {NetworkRefusal} PRIVATE_ADDRESS, which does not tell the address */
  assertAddress(address: string, hostname: string, port: string): void {
    const kind = addressKind(address);
    if (kind === 'public') return;
    const host = hostOf(hostname);
    if (kind === 'private' && this.#privateHosts.has(`${host}:${port}`)) return;
    throw new NetworkRefusal('PRIVATE_ADDRESS', `${host} has an address that is not public`);
  }
}

/** As URLs write it, but for the brackets of IPv6 and the dot at the end. */
export function hostOf(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function portOf({ port, protocol }: URL): string {
  if (port !== '') return port;
  return protocol === 'https:' ? '443' : '80';
}

function hostMatcher(grant: string): (hostname: string) => boolean {
  if (grant === '*') return () => true;
  const isBelow = grant.startsWith('*.');
  const name = isBelow ? grant.slice(2) : grant;
  if (!URL.canParse(`http://${name}`) || new URL(`http://${name}`).host !== name.toLowerCase()) {
    throw new Error(`'${grant}' is no host name, such as example.com or *.example.com`);
  }
  const host = hostOf(name.toLowerCase());
  return isBelow ? (hostname) => hostname.endsWith(`.${host}`) : (hostname) => hostname === host;
}

function hostAndPort(grant: string): string {
  const port = /:(\d{1,5})$/.exec(grant)?.[1];
  if (port === undefined || !URL.canParse(`http://${grant}`)) {
    throw new Error(`'${grant}' is no name:port, such as wiki.internal:443 or [::1]:8080`);
  }
  return `${hostOf(new URL(`http://${grant}`).hostname)}:${port}`;
}
