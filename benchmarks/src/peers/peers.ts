import { size } from '../report.ts';
import { startServers } from '../servers.ts';
import { acceptPeers } from './accept-peers.ts';
import { endToEndPeers } from './end-to-end-peers.ts';
import { installFastMcp } from './fastmcp-docket.ts';
import { finishPeers } from './finish-peers.ts';
import { Part } from './part.ts';
import { type Peer, WITHOUT } from './without.ts';

/**
 * The same work by Longshore and by what others use for it, on one machine, one Postgres and one Redis, in interleaved
 * rounds: accepting (`peers/accept/64/sdk-tasks`), finishing what is stored (`peers/finish/64/graphile-worker`) and from
 * the call to the result (`peers/end-to-end/fastmcp-docket`). A line like `peers/finish/64/longshore-to-pg-boss` is our
 * figure with the peer's as its limit, so that its ratio is how many times as fast we are. The last lines say what each
 * peer does not do.
 */
export async function peers(): Promise<void> {
  const withPython = installFastMcp();
  const servers = await startServers();
  try {
    for (const concurrency of [64, 16].slice(0, size(2, 2, 1))) {
      await new Part(servers, withPython).run((part) => finishPeers(part, concurrency));
    }
    await new Part(servers, withPython).run(endToEndPeers);
    // The last, for what is accepted stays.
    await new Part(servers, withPython).run(acceptPeers);
  } finally {
    await servers.stop();
  }
  const names = Object.keys(WITHOUT) as Peer[];
  for (const name of names.filter((peer) => withPython || peer !== 'fastmcp-docket')) {
    process.stdout.write(`${JSON.stringify({ name: `peers/${name}`, without: WITHOUT[name] })}\n`);
  }
}
