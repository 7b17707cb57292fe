import type { Scene } from '../scene/scene.ts';
import type { StartedTask } from '../tasks/started-task.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { Received } from '../wire/inbox.ts';
import { at } from '../wire/json.ts';
import type { RequestId } from '../wire/json-rpc.ts';
import { isRequestFor, relatedTask, type Session } from '../wire/session.ts';

export type InputRole = 'elicit' | 'sample';

export const INPUT_METHODS = {
  elicit: 'elicitation/create',
  sample: 'sampling/createMessage',
} as const satisfies Record<InputRole, string>;

/** A task that asks its client something, and the question. */
export interface AskedTask {
  readonly session: Session;
  readonly task: StartedTask;
  /** tasks/result, which waits. */
  readonly waiting: Exchange;
  readonly question: Received;
  readonly questionId: RequestId;
}

/** Starts a task of a role that asks, and does nothing to hear it. */
export function startAsking(scene: Scene, session: Session, role: InputRole): Promise<StartedTask> {
  const message = `Your name, please (${crypto.randomUUID()})`;
  return scene.start(session, role, role === 'elicit' ? { message } : {});
}

/**
 * Opens GET streams as far as the server offers them, starts a task of a role that asks, waits for its
 * result, and gets the question on one of the streams.
 * @throws {Violation} tasks-input-delivered when no question comes
 */
export async function startAsked(
  scene: Scene,
  role: InputRole,
  gets: 1 | 2 = 1,
): Promise<AskedTask> {
  const session = await scene.open();
  for (let opened = 0; opened < gets; opened += 1) await session.listen();
  const task = await startAsking(scene, session, role);
  const waiting = task.request();
  const question = await session.first(isQuestion(session, task, role), {
    what: `${INPUT_METHODS[role]} of task ${task.id}`,
    breaks: 'tasks-input-delivered',
  });
  return { session, task, waiting, question, questionId: question.message.id as RequestId };
}

/** In a session of its own any such request is the task's; its metadata is looked at elsewhere. */
export function isQuestion(session: Session, task: StartedTask, role: InputRole) {
  return ({ message }: Received): boolean =>
    isRequestFor(message, INPUT_METHODS[role]) &&
    (session.isOwn || relatedTask(message) === task.id);
}

/** What a user answers who accepts and gives a name. */
export function acceptWith(name: string) {
  return { action: 'accept', content: { name } };
}

export function generated(text: string) {
  return {
    role: 'assistant',
    content: { type: 'text', text },
    model: 'conformance',
    stopReason: 'endTurn',
  };
}

/** All text of a CallToolResult. */
export function textOf(result: unknown): string {
  const content = at(result, 'content');
  const texts = Array.isArray(content) ? content.map((block) => at(block, 'text')) : [];
  return texts.filter((text) => typeof text === 'string').join('\n');
}
