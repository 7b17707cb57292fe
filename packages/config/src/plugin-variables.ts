import * as z from 'zod';
import { list, type Variable, variable } from './variable.ts';

/** Which plugins workers load, and what these may reach. */
export const PLUGIN_VARIABLES = {
  PLUGINS: variable(
    list,
    null,
    'packages or paths',
    'What a worker loads beside the bundled plugins, comma-separated. Paths start with . or /; one that ends in /* is every module and every folder in there.',
  ),
  BUNDLED_PLUGINS: variable(
    z.enum(['true', 'false']).transform((text) => text === 'true'),
    'true',
    'true, false',
    'Whether a worker loads @longshore/plugin-text and @longshore/plugin-data. false: what PLUGINS names, and nothing else.',
  ),
  PLUGIN_DIRS: variable(
    list,
    '.',
    'paths',
    'Directories the bundled plugins may read, comma-separated; nothing outside is touched.',
  ),
  PLUGIN_ENV: variable(
    list,
    null,
    'variables',
    'Variables of the environment that threads and processes of plugins get beside PATH, HOME, LANG, TZ, TMPDIR and the like, comma-separated, such as OPENAI_API_KEY. None of Longshore is among them unless it is named here.',
  ),
  PLUGIN_HOSTS: variable(
    list,
    '*',
    'host names',
    'Hosts the bundled plugins may send requests to, comma-separated; *.example.com for all below one, * for all. Public addresses only.',
  ),
  PLUGIN_PRIVATE_HOSTS: variable(
    list,
    null,
    'name:port',
    'What they may also reach on private and loopback addresses, comma-separated, such as wiki.internal:443. Addresses of cloud metadata services are refused always.',
  ),
  PLUGIN_USER_AGENT: variable(
    z
      .string()
      .regex(/^[A-Za-z][\x20-\x7E]{0,199}$/, 'up to 200 characters of ASCII, a letter first'),
    'longshore/0.1',
    'text',
    'How their requests say who sends them; sites like a way to reach you, such as longshore/0.1 (+mailto:ops@example.com). What robots.txt calls it is the part before the slash.',
  ),
} as const satisfies Record<string, Variable>;
