import type {
  CallOptions,
  ItemFunction,
  Items,
  MapOptions,
  MapRun,
  ToolValue,
} from './batch-types.ts';
import type { TypedItem } from './define-item.ts';

/** A tool as who runs it by `ctx` knows it. There is no `~types` at run time. */
export interface CallableTool<Input, Output> {
  readonly longshoreTool: 1;
  readonly name: string;
  readonly '~types'?: { readonly input: Input; readonly output: Output };
}

/** Work on many items, and other tools. For tools only: prompts and resources have their time counted. */
export interface BatchAbilities {
  /**
   * Runs something on each item, durably: items are stored before they run, what came of each is kept, and
   * after a crash what is through is not run again. A failed item does not fail the batch.
   *
   * What is run is an item function that the tool lists (`defineItem`), or another tool: then any worker that
   * has it takes part, and this task takes up no place at its worker while it waits. Or it is a function in
   * place, which runs at this worker, as part of this task. Items and results are JSON.
   *
   * Rejects when the items can not be read or stored; with the reason of `ctx.signal` when that fires.
   */
  map<Input, Result>(
    items: Items<Input>,
    item: TypedItem<Input, Result>,
    options?: MapOptions,
  ): MapRun<Result>;
  map<Input, Output>(
    items: Items<Input>,
    tool: CallableTool<Input, Output>,
    options?: MapOptions,
  ): MapRun<Output>;
  map(items: Items<unknown>, toolName: string, options?: MapOptions): MapRun<ToolValue>;
  map<Input, Result>(
    items: Items<Input>,
    run: ItemFunction<Input, Result>,
    options?: MapOptions,
  ): MapRun<Result>;
  /**
   * Runs another tool as a task of its own, which lives no longer than this one, and waits for its result:
   * structured content, one text, or content blocks. What it asks the client, the client is asked.
   *
   * @throws {ToolError} with the text of a result that is an error
   */
  call<Input, Output>(
    tool: CallableTool<Input, Output>,
    args: Input,
    options?: CallOptions,
  ): Promise<Output>;
  call(toolName: string, args: object, options?: CallOptions): Promise<ToolValue>;
}
