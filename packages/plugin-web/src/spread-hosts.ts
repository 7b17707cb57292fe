/**
 * The same URLs, hosts taking turns: whoever works through them does not wait for one host while others have
 * nothing to do.
 */
export function spreadHosts(urls: readonly string[]): readonly string[] {
  const byHost = new Map<string, string[]>();
  for (const url of urls) {
    const host = URL.canParse(url) ? new URL(url).host : '';
    const own = byHost.get(host);
    if (own === undefined) byHost.set(host, [url]);
    else own.push(url);
  }
  const spread: string[] = [];
  for (let turn = 0; spread.length < urls.length; turn += 1) {
    for (const own of byHost.values()) {
      const url = own[turn];
      if (url !== undefined) spread.push(url);
    }
  }
  return spread;
}
