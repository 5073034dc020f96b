/** Changes the URLs of a style sheet: `url(...)` and `@import "..."`. Comments and other strings stay as they are. */

/** The new URL, or null to leave it. */
export type ChangeUrl = (url: string) => string | null

const TOKEN =
  /\/\*[^]*?(?:\*\/|$)|url\(\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"'()]*))\s*\)|@import\s+(?:"([^"\n]*)"|'([^'\n]*)')|"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'/gi

export function rewriteCss(css: string, change: ChangeUrl): string {
  return css.replaceAll(TOKEN, (all: string, ...groups: unknown[]) => {
    const url = groups.slice(0, 5).find(group => typeof group === 'string')
    if (typeof url !== 'string' || url === '') return all
    const changed = change(url)
    if (changed === null) return all
    return all.startsWith('@') ? `@import "${quoted(changed)}"` : `url("${quoted(changed)}")`
  })
}

function quoted(url: string): string {
  return url.replaceAll(/["\\\n\r]/g, char => encodeURIComponent(char))
}
