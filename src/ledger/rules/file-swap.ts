/**
 * Decides whether table files may be replaced by the files merged from them. Decided in TypeScript by every
 * backend.
 */

/**
 * `due` while every input is listed. `done` if this swap was made before: its answer was lost, and the call
 * is sent again. Otherwise `refused`: another swap has replaced an input.
 */
export function fileSwap(
  inputs: readonly string[],
  outputs: readonly { readonly name: string }[],
  isListed: (name: string) => boolean,
): 'due' | 'done' | 'refused' {
  if (inputs.every(isListed)) return 'due'
  const isDone = outputs.length > 0 && !inputs.some(isListed) && outputs.every(({ name }) => isListed(name))
  return isDone ? 'done' : 'refused'
}
