import { type Json, recordIn, recordsIn, textIn } from '../state/json.ts';
import { make } from './dom.ts';
import { Host } from './host.ts';
import { JobCard, messageOf } from './job-card.ts';
import { JobServer } from './server.ts';
import { jobOfInput, jobOfResult, keepJob, keptJob, saysNothing } from './which-job.ts';

/** Hosts that hand over a result do so by then; those that hand over none, or hold the call open, never do. */
const RESULT_WITHIN_MS = 3_000;
/** Looking for a job that is not there yet: twice as long each time, up to this. */
const LONGEST_SEARCH_MS = 60_000;

const host = new Host();
const card = new JobCard(
  host,
  new JobServer(host, Number(document.documentElement.dataset['card'])),
);
let input: Json = {};
let isAnswered = false;
let timer = 0;

/** Null: the host does not say. */
const tool = (): Json | null => recordIn(recordIn(host.context, 'toolInfo'), 'tool');
const toolName = (): string | null => textIn(tool(), 'name');

function follow(id: string, told: Json): void {
  clearTimeout(timer);
  if (card.id === id) return;
  keepJob(toolName(), input, id);
  card.follow(id, told);
}

/** Which job it is says the first of these that knows: the answer, the arguments, this browser, the server. */
function takeResult(result: Json): void {
  isAnswered = true;
  const id = jobOfResult(result) ?? jobOfInput(input);
  const structured = recordIn(result, 'structuredContent') ?? {};
  // Of several that were waited for together.
  const jobs = recordsIn(structured, 'jobs').filter((job) => textIn(job, 'task_id') !== null);
  if (id !== null) follow(id, structured);
  else if (jobs.length > 0) choose(jobs);
  else if (!saysNothing(result)) {
    clearTimeout(timer);
    card.showAnswer(textIn(tool(), 'title') ?? toolName() ?? 'Result', result);
  } else void search(RESULT_WITHIN_MS);
}

async function search(pauseMs: number): Promise<void> {
  if (card.id !== null) return;
  const id = jobOfInput(input) ?? keptJob(toolName(), input);
  if (id !== null) return follow(id, {});
  const jobs = await found().catch((error: unknown) => {
    card.view.note(`The job of this call can not be found: ${messageOf(error)}`);
    return [];
  });
  if (card.id !== null) return;
  if (jobs.length > 0) return choose(jobs);
  if (isAnswered) return card.view.say('Nothing is kept of this call any more.');
  card.view.say('The call is under way…');
  timer = window.setTimeout(() => void search(Math.min(pauseMs * 2, LONGEST_SEARCH_MS)), pauseMs);
}

/** Of the same call, the newest first. */
async function found(): Promise<readonly Json[]> {
  const name = toolName();
  if (name === null || !host.offers('serverTools')) return [];
  const told = await host.call('job_find', { tool: name, arguments: input });
  return recordsIn(recordIn(told, 'structuredContent'), 'jobs');
}

const followFound = (job: Json): void => {
  const id = textIn(job, 'task_id');
  if (id !== null) follow(id, { job });
};

function choose(jobs: readonly Json[]): void {
  clearTimeout(timer);
  const [only, ...others] = jobs;
  if (only !== undefined && others.length === 0) {
    followFound(only);
    return;
  }
  card.view.say('There are several jobs of this call:');
  const choices = jobs.map((job) => {
    const at = new Date(textIn(job, 'created_at') ?? 0).toLocaleString();
    const words = [textIn(job, 'tool'), at, textIn(job, 'status')];
    const choice = make('button', { type: 'button' }, words.join(', '));
    choice.onclick = () => followFound(job);
    return choice;
  });
  card.view.tools.replaceChildren(...choices);
}

function dress(): void {
  const { theme } = host.context;
  const isDark =
    theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
  const fonts = recordIn(recordIn(host.context, 'styles'), 'variables');
  const sans = textIn(fonts, '--font-sans');
  if (sans !== null) document.documentElement.style.setProperty('--font-sans', sans);
  card.adapt();
}

dress();
document.body.append(card.view.element);
await host.connect({
  input: (params) => {
    input = params;
  },
  result: takeResult,
  cancelled: () => {
    if (card.id === null) card.view.say('The call was cancelled.');
  },
  changed: dress,
  teardown: () => card.stop(),
});
timer = window.setTimeout(() => void search(RESULT_WITHIN_MS), RESULT_WITHIN_MS);
let height = 0;
new ResizeObserver(() => {
  // Of what is in it, not of the frame: else each would follow the other.
  const style = getComputedStyle(document.body);
  const now = Math.ceil(
    card.view.element.getBoundingClientRect().height +
      Number.parseFloat(style.paddingTop) +
      Number.parseFloat(style.paddingBottom),
  );
  if (now === height) return;
  height = now;
  host.tell('ui/notifications/size-changed', { height });
}).observe(card.view.element);
