import { PHASE_LOOKS } from '../state/looks.ts';
import { rateOf, type Sample, timeLeftText } from '../state/rate.ts';
import { ageText, countText, durationText } from '../state/time-text.ts';
import { icon, make, say } from './dom.ts';
import type { Job } from './job.ts';

/**
 * The parts of the card, made once: what changes is their text. Each line has its room from the start, so that nothing
 * jumps when it comes.
 */
export class CardView {
  readonly element: HTMLElement;
  readonly questions = make('section', { class: 'questions', hidden: '' });
  readonly failures = make('section', { class: 'failures', hidden: '' });
  readonly result = make('section', { hidden: '' });
  readonly history = make('section', { hidden: '' });
  readonly tools = make('div', { class: 'tools' });
  readonly #phase = make('span', { class: 'phase', role: 'status' });
  readonly #title = make('h1', {}, 'A job');
  readonly #done = make('span', { class: 'done' });
  readonly #failed = make('span', { class: 'failed' });
  readonly #bar = make(
    'div',
    { class: 'bar', role: 'progressbar', 'aria-label': 'Progress' },
    this.#done,
    this.#failed,
  );
  readonly #line = make('p', { class: 'line' });
  readonly #words = make('p', { class: 'words' });
  readonly #note = make('p', { class: 'note', role: 'alert', hidden: '' });

  constructor() {
    const top = make('header', {}, this.#title, this.#phase);
    const live = [top, this.#bar, this.#line, this.#words, this.#note];
    const more = [this.questions, this.result, this.failures, this.history];
    this.element = make('main', {}, ...live, ...more, this.tools);
    this.say('Looking for the job…');
  }

  /** One line on what goes on, where there is no job to say it of. */
  say(text: string): void {
    say(this.#line, text);
  }

  /** What stands in the way; null: nothing. */
  note(text: string | null): void {
    this.#note.hidden = text === null;
    say(this.#note, text ?? '');
  }

  /** A call that was answered at once: there is no job to follow. */
  drawAnswer(title: string, isError: boolean): void {
    this.#head(title, isError ? 'failed' : 'completed');
    this.#bar.hidden = true;
    this.#line.hidden = true;
    this.#words.hidden = true;
    this.tools.hidden = true;
  }

  draw(job: Job, samples: readonly Sample[]): void {
    this.#head(job.tool, job.phase);
    this.#drawBar(job);
    say(this.#line, lineOf(job, samples));
    // What came of it is below.
    const words = job.phase === 'completed' ? '' : job.words;
    say(this.#words, words);
    this.#words.title = words;
    this.#words.hidden = job.hasEnded && words === '';
    this.element.dataset['phase'] = job.phase;
  }

  #head(title: string, phase: Job['phase']): void {
    const { word, icon: name, color } = PHASE_LOOKS[phase];
    say(this.#title, title);
    if (this.#phase.textContent === word) return;
    this.#phase.replaceChildren(icon(name), word);
    this.#phase.style.color = color;
  }

  #drawBar(job: Job): void {
    const { done, failed, total } = amounts(job);
    const share = (count: number): string =>
      `${total === null || total <= 0 ? 0 : Math.min(100, (100 * count) / total)}%`;
    this.#done.style.width = share(done - failed);
    this.#failed.style.width = share(failed);
    this.#bar.classList.toggle('unknown', total === null && job.phase === 'running');
    if (total === null) this.#bar.removeAttribute('aria-valuenow');
    else
      this.#bar.setAttribute(
        'aria-valuenow',
        String(total === 0 ? 100 : Math.floor((100 * done) / total)),
      );
  }
}

/** What is done of how much, items of batches before what the tool says: those are newer. */
export function amounts({ counts, done, total, hasEnded, phase }: Job): {
  readonly done: number;
  readonly failed: number;
  readonly total: number | null;
} {
  if (counts !== null) {
    const all = Math.max(counts.items, total ?? 0);
    return { done: counts.done + counts.failed, failed: counts.failed, total: all };
  }
  if (hasEnded && total === null)
    return { done: phase === 'completed' ? 1 : 0, failed: 0, total: 1 };
  return { done: done ?? 0, failed: 0, total };
}

function lineOf(job: Job, samples: readonly Sample[]): string {
  const { done, failed, total } = amounts(job);
  const hasCounts = job.counts !== null || job.done !== null;
  const parts: string[] = [];
  if (hasCounts)
    parts.push(
      total === null ? `${countText(done)} done` : `${countText(done)} of ${countText(total)}`,
    );
  if (failed > 0) parts.push(`${countText(failed)} failed`);
  const rate = rateOf(samples);
  if (job.hasEnded) parts.push(`took ${durationText(job.tookMs)}`);
  else if (rate !== null && rate > 0 && job.phase === 'running') {
    parts.push(`${rate < 10 ? rate.toFixed(1) : countText(Math.round(rate))}/s`);
    if (total !== null && total > done) parts.push(`${timeLeftText(total - done, samples)} left`);
  } else parts.push(`${ageText(job.tookMs)} so far`);
  return parts.join(' · ');
}
