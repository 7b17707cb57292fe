import { eventText } from '../state/event-text.ts';
import { type Json, numberIn, recordIn, recordsIn, textIn } from '../state/json.ts';
import { type Sample, withSample } from '../state/rate.ts';
import { instantText } from '../state/time-text.ts';
import { amounts, CardView } from './card-view.ts';
import { button, doubtful, make } from './dom.ts';
import { Failures } from './failures.ts';
import type { Host } from './host.ts';
import { type Job, readJob } from './job.ts';
import { Polling } from './polling.ts';
import { questionForm } from './question-form.ts';
import { type Links, resultView } from './result-view.ts';
import { CardOutdated, JobGone, type JobServer } from './server.ts';

/** Follows one job, from wherever it is to its end, and does to it what its buttons say. */
export class JobCard {
  readonly view = new CardView();
  readonly #host: Host;
  readonly #server: JobServer;
  readonly #polling: Polling;
  readonly #failures: Failures;
  #id: string | null = null;
  /** As it is drawn. */
  #job: Job | null = null;
  #samples: readonly Sample[] = [];
  /** Of what is drawn, so that a form somebody fills in stays. */
  #questions = '';
  #tools = '';
  #hasResult = false;
  /** Whether it was seen at work: who opens an old conversation need not be told of an end. */
  #wasOpen = false;

  constructor(host: Host, server: JobServer) {
    this.#host = host;
    this.#server = server;
    this.#failures = new Failures(server, this.view.failures);
    this.#polling = new Polling({
      ask: () => this.#ask(),
      failed: (error) => this.view.note(`No news: ${messageOf(error)}`),
    });
  }

  get id(): string | null {
    return this.#id;
  }

  /** @param told what is known of it by now */
  follow(id: string, told: Json): void {
    this.#id = id;
    this.#samples = [];
    this.#questions = '';
    this.#hasResult = false;
    this.view.failures.hidden = true;
    this.view.result.hidden = true;
    this.view.history.hidden = true;
    const job = readJob(told);
    if (job === null) this.view.say('Asking for the job…');
    else this.#draw(job);
    if (this.#host.offers('serverTools')) this.#polling.again();
    else
      this.view.note(
        'This host lets cards ask nothing: ask for the status of the job in the conversation.',
      );
  }

  /** What a call was answered with at once. */
  showAnswer(title: string, result: Json): void {
    this.view.drawAnswer(title, result['isError'] === true);
    this.#showResult(result, true);
  }

  /** The surroundings have changed. */
  adapt(): void {
    if (this.#job !== null) this.#drawTools(this.#job);
  }

  stop(): void {
    this.#polling.stop();
  }

  /** @returns when to ask again */
  async #ask(): Promise<number | null> {
    const id = this.#id;
    if (id === null) return null;
    try {
      const told = await this.#server.askAsCard('job_status', { task_id: id });
      if (id !== this.#id) return 0;
      const job = readJob(told);
      if (job === null) throw new Error('The answer names no job');
      this.view.note(null);
      const { done } = amounts(job);
      this.#samples = withSample(this.#samples, { at: Date.now(), count: done });
      this.#draw(job);
      await this.#failures.show(job);
      if (job.hasEnded) await this.#finish(job);
      return numberIn(recordIn(told, 'card'), 'pause_ms');
    } catch (error) {
      const end = endOf(error);
      if (end === null) throw error;
      this.#job = null;
      this.view.note(end);
      this.view.tools.replaceChildren();
      return null;
    }
  }

  #draw(job: Job): void {
    this.#job = job;
    this.view.draw(job, this.#samples);
    this.#drawQuestions(job);
    this.#drawTools(job);
    this.#wasOpen ||= !job.hasEnded;
  }

  #drawQuestions({ id, questions }: Job): void {
    const drawn = JSON.stringify(questions);
    if (drawn === this.#questions) return;
    this.#questions = drawn;
    const forms = questions.map((question) =>
      questionForm(
        question,
        (action, content) =>
          this.#do(async () => {
            const answer = { task_id: id, question: question.key, action };
            await this.#server.ask(
              'job_answer',
              content === undefined ? answer : { ...answer, content },
            );
          }),
        this.#opener(),
      ),
    );
    this.view.questions.replaceChildren(...forms);
    this.view.questions.hidden = forms.length === 0;
  }

  #drawTools({ id, phase, hasEnded, counts, link }: Job): void {
    const open = this.#opener();
    const { displayMode, availableDisplayModes } = this.#host.context;
    const hasFailed = counts !== null && counts.failed > 0 && counts.runsAgain;
    const drawn = JSON.stringify([id, phase, hasFailed, link, displayMode, availableDisplayModes]);
    if (drawn === this.#tools) return;
    this.#tools = drawn;
    const tools: HTMLElement[] = [];
    if (hasEnded) {
      const retry = () => this.#again('job_retry', id);
      const retryFailed = () => this.#again('job_retry_failed', id);
      if (hasFailed) tools.push(doubtful('Retry failed', 'Run the failed again?', retryFailed));
      tools.push(doubtful('Run again', 'Run all of it again?', retry));
    } else {
      const cancel = () => this.#do(() => this.#server.ask('job_cancel', { task_id: id }));
      tools.push(doubtful('Cancel', 'Really cancel?', cancel));
    }
    const save = this.#saver();
    if (save !== null && hasEnded && phase !== 'cancelled') {
      const name = `job-${id}.json`;
      tools.push(button('Download', () => save(`longshore://tasks/${id}/result`, name)));
    }
    if (this.#host.offers('serverResources')) {
      tools.push(button('History', () => this.#do(() => this.#toggleHistory(id))));
    }
    if (link !== null && open !== null) tools.push(button('Dashboard', () => open(link)));
    this.view.tools.replaceChildren(...tools, ...this.#sizes());
  }

  #sizes(): HTMLElement[] {
    const { availableDisplayModes: modes, displayMode: mode } = this.#host.context;
    const other = mode === 'fullscreen' ? 'inline' : 'fullscreen';
    if (!Array.isArray(modes) || !modes.includes(other)) return [];
    const label = other === 'fullscreen' ? 'Expand' : 'Collapse';
    return [
      button(label, () =>
        this.#do(() => this.#host.request('ui/request-display-mode', { mode: other })),
      ),
    ];
  }

  async #finish(job: Job): Promise<void> {
    if (this.#hasResult) return;
    if (job.phase !== 'cancelled') {
      const told = await this.#server.askAsCard('job_result', { task_id: job.id });
      const result = recordIn(told, 'result');
      if (result !== null) this.#showResult(result, job.counts === null);
    }
    this.#hasResult = true;
    if (!this.#wasOpen || !this.#host.offers('updateModelContext')) return;
    const text = `Job ${job.id} (${job.tool}) has ended: ${job.phase}.`;
    // Whoever refuses it learns of it by asking.
    await this.#host
      .request('ui/update-model-context', { content: [{ type: 'text', text }] })
      .catch(() => undefined);
  }

  /** @param isOpen what came of items is in the counts and failures already */
  #showResult(result: Json, isOpen: boolean): void {
    const view = make(
      'details',
      {},
      make('summary', {}, 'Result'),
      resultView(result, this.#links()),
    );
    view.open = isOpen;
    this.view.result.replaceChildren(view);
    this.view.result.hidden = false;
  }

  async #toggleHistory(id: string): Promise<void> {
    const { history } = this.view;
    if (!history.hidden) {
      history.hidden = true;
      return;
    }
    const told: unknown = JSON.parse(
      await (await this.#server.read(`longshore://tasks/${id}/history`)).text(),
    );
    const lines = recordsIn(told, 'events').map((event) => {
      const { title, message } = eventText(String(event['kind']), recordIn(event, 'data') ?? {});
      return make(
        'li',
        {},
        make('span', {}, instantText(textIn(event, 'at') ?? 0, 'local', false)),
        make('span', {}, message === null ? title : `${title}: ${message}`),
      );
    });
    history.replaceChildren(make('h2', {}, 'History'), make('ul', { class: 'history' }, ...lines));
    history.hidden = false;
  }

  /** Runs the job, or the failed items of it, again: that is another job, which the card follows from there on. */
  #again(tool: 'job_retry' | 'job_retry_failed', id: string): Promise<void> {
    return this.#do(async () => {
      const told =
        recordIn(await this.#server.ask(tool, { task_id: id }), 'structuredContent') ?? {};
      const job = readJob(told);
      if (job === null) throw new Error('The answer names no job');
      this.follow(job.id, told);
    });
  }

  /** What a button does, and what came of it. */
  async #do(run: () => Promise<unknown>): Promise<void> {
    try {
      await run();
      this.view.note(null);
    } catch (error) {
      this.view.note(endOf(error) ?? messageOf(error));
      return;
    }
    this.#polling.now();
  }

  #links(): Links {
    return { save: this.#saver(), open: this.#opener() };
  }

  #saver(): Links['save'] {
    if (!this.#host.offers('downloadFile') || !this.#host.offers('serverResources')) return null;
    return (uri, name) => this.#do(() => this.#save(uri, name));
  }

  #opener(): Links['open'] {
    if (!this.#host.offers('openLinks')) return null;
    return (url) => void this.#do(() => this.#host.request('ui/open-link', { url }));
  }

  async #save(uri: string, name: string): Promise<void> {
    const blob = await this.#server.read(uri);
    const resource = { uri: `file:///${encodeURIComponent(name)}`, mimeType: blob.type };
    const body = /^text\/|json/.test(blob.type)
      ? { text: await blob.text() }
      : { blob: await base64(blob) };
    await this.#host.request('ui/download-file', {
      contents: [{ type: 'resource', resource: { ...resource, ...body } }],
    });
  }
}

async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let units = '';
  for (const byte of bytes) units += String.fromCharCode(byte);
  return btoa(units);
}

/** @returns what to say when there is nothing more to ask; null: it may be better the next time */
function endOf(error: unknown): string | null {
  if (error instanceof JobGone) return 'This job is no longer kept, or is not yours.';
  if (error instanceof CardOutdated)
    return 'This card is older than the server: ask for the status of the job in the conversation for a new one.';
  return null;
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
