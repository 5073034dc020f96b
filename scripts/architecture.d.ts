/** What breaks the plan of the sources, a line each. */
export function violationsIn(src: string): string[]
/** The picture of the imports between rooms, as SVG. */
export function drawing(src: string): string
