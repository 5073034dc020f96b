/** The page that explains a host to whoever opens it in a browser. */
import type { Policy } from './policy.js'

const STYLE =
  'body{font:16px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 1em}td,th{padding:0 1em 0 0;text-align:left}code{word-break:break-all}'

export function hostPage(policy: Policy, key: string, origins: readonly string[]): string {
  const homes = policy.homes.map(
    ({ name, key, maxPages, delayMs }) =>
      `<tr><td>${escaped(name)}</td><td><code>${escaped(key)}</code></td>` +
      `<td>${maxPages} pages</td><td>${delayMs} ms between requests</td></tr>`,
  )
  const allowed =
    homes.length === 0 ? '<p>No crawler is allowed here yet.</p>' : `<table>${homes.join('')}</table>`
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Crawlers at this server</title>',
    `<style>${STYLE}</style>`,
    '<h1>Crawlers at this server</h1>',
    `<p>${escaped(policy.name)} lets the crawlers below read its pages here, at the source, instead of`,
    'requesting them one by one over the network. They read only pages that everybody may read, obey',
    'robots.txt, and take home only what they were asked for.</p>',
    `<p>Contact: ${escaped(policy.contact)}</p>`,
    `<h2>Sites</h2><ul>${origins.map(origin => `<li>${escaped(origin)}</li>`).join('')}</ul>`,
    `<h2>Crawlers that may come</h2>${allowed}`,
    `<h2>Key of this host</h2><p><code>${escaped(key)}</code></p>`,
    '<p>The program is Orbweaver.</p></html>',
    '',
  ].join('\n')
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, char => `&#${char.charCodeAt(0)};`)
}
