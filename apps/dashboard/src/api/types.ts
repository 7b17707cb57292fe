import type { AnswerOf } from '@longshore/operator';

export type { Phase, Range, TaskDetail, TaskSummary } from '@longshore/operator';

export type Me = AnswerOf<'GET /me'>;
export type TaskPage = AnswerOf<'GET /tasks'>;
export type TaskOutcome = AnswerOf<'GET /tasks/{id}/outcome'>;
export type BatchMap = AnswerOf<'GET /tasks/{id}/batch'>;
export type BatchItem = AnswerOf<'GET /tasks/{id}/items'>['items'][number];
export type Question = AnswerOf<'GET /tasks/{id}'>['questions'][number];
export type Overview = AnswerOf<'GET /overview'>;
export type Stats = AnswerOf<'GET /stats'>;
export type Tool = AnswerOf<'GET /tools'>['tools'][number];
export type Worker = AnswerOf<'GET /workers'>['workers'][number];
export type Queue = AnswerOf<'GET /queues'>['queues'][number];
export type Schedule = AnswerOf<'GET /schedules'>['schedules'][number];
export type Principal = AnswerOf<'GET /principals'>['principals'][number];
export type Webhook = AnswerOf<'GET /webhooks'>['webhooks'][number];
export type Delivery = AnswerOf<'GET /webhooks/{id}/deliveries'>['deliveries'][number];
export type AuditEntry = AnswerOf<'GET /audit'>['entries'][number];
export type BulkAction = AnswerOf<'GET /bulk/{id}'>['action'];
export type ApiKey = AnswerOf<'GET /keys'>['keys'][number];
