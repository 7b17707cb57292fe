/** What programs need to run at all: no secret is called so. */
const HARMLESS =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TMP|TEMP|NODE_ENV|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES)$/;

/**
 * What of this process's environment is meant for the processes and threads of plugins: what programs need to
 * run at all, and what PLUGIN_ENV names. The rest is the server's: DATABASE_URL, keys of its cloud.
 */
export function pluginEnvironment(): Record<string, string> {
  const granted = new Set((process.env['PLUGIN_ENV'] ?? '').split(',').map((name) => name.trim()));
  // A thread or process that gets it passes on the same.
  granted.add('PLUGIN_ENV');
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && (granted.has(name) || HARMLESS.test(name.toUpperCase()))
        ? [[name, value]]
        : [],
    ),
  );
}
