import {
  type AnnouncedPrompt,
  type AnnouncedResource,
  type AnnouncedTool,
  type Logger,
  LongshoreError,
  type PluginCard,
} from '@longshore/core';
import type { Prompt, Resource, Tool } from '@longshore/plugin';

/** A tool that can be run, and how the catalogue shows it. */
export interface LoadedTool {
  readonly tool: Tool;
  readonly announced: AnnouncedTool;
  /** Absent: it has none. */
  readonly card?: PluginCard | null;
  /** Absolute path of the module that has it: threads load it from there. */
  readonly entry: string;
}

/** A prompt that can be run, and how the catalogue shows it. */
export interface LoadedPrompt {
  readonly prompt: Prompt;
  readonly announced: AnnouncedPrompt;
}

/** A resource that can be read, and how the catalogue shows it. */
export interface LoadedResource {
  readonly resource: Resource;
  readonly announced: AnnouncedResource;
}

/** Everything a worker can run. */
export interface Offers {
  readonly tools: readonly LoadedTool[];
  readonly prompts: readonly LoadedPrompt[];
  readonly resources: readonly LoadedResource[];
}

/** Names of the queues that the runs of all these go through, sorted. */
export function queuesOf({ tools, prompts, resources }: Offers): readonly string[] {
  const all = [...tools, ...prompts, ...resources];
  return [...new Set(all.map(({ announced }) => announced.policy.queue))].sort();
}

/** The cards of these tools, each once: tools may share one. */
export function cardsOf(tools: readonly LoadedTool[]): readonly PluginCard[] {
  const cards = tools.flatMap(({ card = null }) => (card === null ? [] : [card]));
  return [...new Map(cards.map((card) => [card.uri, card])).values()];
}

/** What goes through these queues. */
export function offersOfQueues(offers: Offers, queues: readonly string[]): Offers {
  const goesThere = ({ announced }: { announced: { policy: { queue: string } } }): boolean =>
    queues.includes(announced.policy.queue);
  return {
    tools: offers.tools.filter(goesThere),
    prompts: offers.prompts.filter(goesThere),
    resources: offers.resources.filter(goesThere),
  };
}

/**
 * What goes through the queues this worker serves. A tool of another queue is not announced either: nobody
 * may run it, and then the catalogue must not offer it.
 *
 * @param queues as in WORKER_QUEUES; null: all
 * @throws {LongshoreError} CONFIG_INVALID when nothing is left to do
 */
export function servedOffers(
  offers: Offers,
  queues: readonly string[] | null,
  log: Logger,
): Offers {
  if (queues === null) return offers;
  const known = queuesOf(offers);
  const served = offersOfQueues(offers, queues);
  if (queuesOf(served).length === 0) {
    throw new LongshoreError(
      'CONFIG_INVALID',
      `WORKER_QUEUES names no queue of the plugins' tools; they use: ${known.join(', ')}`,
    );
  }
  const unknown = queues.filter((queue) => !known.includes(queue));
  if (unknown.length > 0) log.warn({ queues: unknown }, 'queues of WORKER_QUEUES have no tools');
  return served;
}
