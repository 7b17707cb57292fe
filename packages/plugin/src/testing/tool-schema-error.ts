import * as z from 'zod';

/** The run did not start, or what it returned does not fit. */
export class ToolSchemaError extends Error {
  override readonly name = 'ToolSchemaError';
  readonly side: 'input' | 'output';

  /** @param label whose run, such as `tool 'resize'` */
  constructor(label: string, side: 'input' | 'output', cause: z.ZodError) {
    super(`${side} of ${label} does not fit its schema:\n${z.prettifyError(cause)}`, { cause });
    this.side = side;
  }
}

/** The parsed value. @throws {ToolSchemaError} it does not fit */
export function fitting<T>(label: string, side: 'input' | 'output', parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof z.ZodError) throw new ToolSchemaError(label, side, error);
    throw error;
  }
}
