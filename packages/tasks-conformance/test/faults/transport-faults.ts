import type { Fault } from './fault.ts';

/** Streamable HTTP, and who may see what. */
export const TRANSPORT_FAULTS: readonly Fault[] = [
  {
    name: 'answers ping as plain text',
    breaks: 'transport-post-content-type',
    found: ['transport-post-content-type'],
    switches: ['ping as plain text'],
  },
  {
    name: 'answers notifications with a body',
    breaks: 'transport-accepted',
    found: ['transport-accepted/notification'],
    switches: ['notifications are answered'],
  },
  {
    name: 'fails for responses nobody asked for',
    breaks: 'transport-accepted',
    found: ['transport-accepted/response'],
    switches: ['unknown responses crash'],
  },
  {
    name: 'leaves streams open after the response',
    breaks: 'transport-stream-ends',
    found: ['transport-stream-ends'],
    switches: ['streams stay open'],
  },
  {
    name: 'sends notifications on every stream',
    breaks: 'transport-no-broadcast',
    found: ['transport-no-broadcast/notification'],
    switches: ['broadcast notifications'],
  },
  {
    name: 'sends responses on GET streams',
    breaks: 'transport-get-no-response',
    found: ['transport-get-no-response'],
    switches: ['responses on GET'],
  },
  {
    name: 'counts events for each stream anew',
    breaks: 'transport-event-ids-unique',
    found: ['transport-event-ids-unique'],
    switches: ['event ids per stream'],
  },
  {
    name: 'replays the events of all streams',
    breaks: 'transport-replay-own-stream',
    found: ['transport-replay-own-stream'],
    switches: ['replay of all streams'],
  },
  {
    name: 'shows tasks to everybody',
    breaks: 'tasks-context-bound',
    found: ['tasks-context-bound/get'],
    skips: ['tasks-foreign-indistinguishable'],
    needsCredentials: true,
    switches: ['get for everybody'],
  },
  {
    name: 'gives results to everybody',
    breaks: 'tasks-context-bound',
    found: ['tasks-context-bound/result'],
    needsCredentials: true,
    switches: ['result for everybody'],
  },
  {
    name: 'lets everybody cancel',
    breaks: 'tasks-context-bound',
    found: ['tasks-context-bound/cancel'],
    needsCredentials: true,
    switches: ['cancel for everybody'],
  },
  {
    name: 'tells that a task is of somebody else',
    breaks: 'tasks-foreign-indistinguishable',
    found: ['tasks-foreign-indistinguishable'],
    switches: ['foreign tasks are told'],
  },
  {
    name: 'lists the tasks of everybody',
    breaks: 'tasks-list-context',
    found: ['tasks-list-context'],
    needsCredentials: true,
    switches: ['list of everybody'],
  },
  {
    name: 'lists the tasks of everybody where it can not tell who asks',
    breaks: 'tasks-list-undeclared',
    found: ['tasks-list-undeclared'],
    skips: ['tasks-list-context'],
    switches: ['list of everybody'],
  },
];
