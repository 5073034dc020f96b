/** Files of the repository that exist: tracked ones, and new ones that git does not ignore. */
export function filesOf(root: string): string[]
export function wideLines(file: string, text: string): string[]
export function bannedWords(glossary: string): string[]
export function bannedIn(file: string, text: string, words: readonly string[]): string[]
export function missingFiles(
  file: string,
  text: string,
  files: readonly string[],
  isGenerated: (name: string) => boolean,
): string[]
export function smallFiles(root: string, files: readonly string[]): string[]
export function strayLimits(file: string, text: string, layoutWords: readonly string[]): string[]
export function environmentReads(file: string, text: string): string[]
