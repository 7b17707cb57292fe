/** Something an author should know. Without errors a worker loads the plugin. */
export interface Finding {
  readonly level: 'error' | 'warning';
  /** What is wrong, and what to write instead. */
  readonly message: string;
}

/** A tool, prompt or resource of a plugin, and what was found about it. */
export interface CheckedOffer {
  readonly kind: 'tool' | 'prompt' | 'resource';
  /** Of a resource its URI or template. */
  readonly name: string;
  readonly description: string | null;
  /** Of a tool: how it is called. */
  readonly inputSchema: Readonly<Record<string, unknown>> | null;
  /** Changes when anything does that clients see. */
  readonly digest: string;
  readonly findings: readonly Finding[];
}

/** Where in the author's code something is. */
export interface Place {
  /** Absolute path. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Why a plugin can not be loaded. */
export interface LoadProblem {
  readonly message: string;
  readonly place: Place | null;
}

/** What came of loading a plugin the way a worker does. */
export interface PluginReport {
  /** As its package.json says; null when the plugin was not found. */
  readonly name: string | null;
  readonly version: string | null;
  /** Absolute path of the module. */
  readonly entry: string | null;
  readonly problem: LoadProblem | null;
  readonly offers: readonly CheckedOffer[];
}
