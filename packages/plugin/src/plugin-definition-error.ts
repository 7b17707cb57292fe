/** A mistake in a plugin's code; the message says what to write instead. */
export class PluginDefinitionError extends Error {
  override readonly name = 'PluginDefinitionError';
}
