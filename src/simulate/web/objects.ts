/** What the generated web serves besides pages: documents, page requisites, robots.txt and sitemaps. */
import type { Authority } from './authority.js'
import { FORBIDDEN_FOLDER, OBJECT_TYPES, WebPath } from './page-path.js'
import type { WebPlan } from './web-plan.js'
import { SLUGS } from './words.js'

export interface WebObject {
  readonly type: string
  readonly body: string
}

/** Every third page is in a sitemap; a large site has several sitemaps and an index. */
const LISTED_EVERY = 3
const LISTED_PER_PART = 10_000

// One grey pixel.
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
).toString('latin1')

const TYPES: Readonly<Record<(typeof OBJECT_TYPES)[number], string>> = {
  txt: 'text/plain; charset=utf-8',
  pdf: 'application/pdf',
  png: 'image/png',
  css: 'text/css',
  json: 'application/json',
}

export function documentOf(plan: WebPlan, site: number, number: number): WebObject {
  const kind = OBJECT_TYPES[number % OBJECT_TYPES.length]
  const name = `${plan.nameOf(site)} document ${number}`
  return { type: TYPES[kind], body: documentBody(kind, name, number) }
}

function documentBody(kind: (typeof OBJECT_TYPES)[number], name: string, number: number): string {
  switch (kind) {
    case 'txt':
      return `${name}\n\n${lines(number)}See http://s00.test/decoy/text.html\n`
    case 'pdf':
      return pdf(name)
    case 'png':
      return PNG
    case 'css':
      return `/* ${name} */\nbody { margin: ${number % 9}em }\n`
    case 'json':
      return `{"name": "${name}", "url": "/decoy/json.html"}\n`
  }
}

function lines(number: number): string {
  return Array.from({ length: 60 }, (_, i) => {
    const at = number * 31 + i * 17
    return `${SLUGS[at % SLUGS.length]} ${SLUGS[(at * 3) % SLUGS.length]} ${SLUGS[(at * 7) % SLUGS.length]}\n`
  }).join('')
}

/** A PDF with one page and one line of text. */
function pdf(text: string): string {
  const stream = `BT /F1 18 Tf 72 720 Td (${text}) Tj ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let body = '%PDF-1.4\n'
  let table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`
  for (const [i, object] of objects.entries()) {
    table += `${String(body.length).padStart(10, '0')} 00000 n \n`
    body += `${i + 1} 0 obj\n${object}\nendobj\n`
  }
  return `${body}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`
}

export function requisiteOf(target: string): WebObject {
  if (target.endsWith('.css')) return { type: 'text/css', body: 'body { max-width: 60em; margin: auto }\n' }
  if (target.endsWith('.js')) return { type: 'text/javascript', body: 'var here = "/decoy/app.html";\n' }
  return { type: 'image/png', body: PNG }
}

/** A page of the forbidden folder. */
export function forbiddenPage(number: number): WebObject {
  const body = `<!DOCTYPE html>\n<title>Private ${number}</title>\n<p>Robots are asked to stay out. <a href="/">Home</a>\n`
  return { type: 'text/html; charset=utf-8', body }
}

export function robotsOf(site: number, authority: Authority): WebObject {
  const body = `# generated
User-agent: badbot
Disallow: /

User-agent: *
Disallow: ${FORBIDDEN_FOLDER}

Sitemap: http://${authority(site)}/sitemap.xml
`
  return { type: 'text/plain; charset=utf-8', body }
}

/** Part 0 is the sitemap or, if one is not enough, the index of parts 1, 2, …; null beyond the last part. */
export function sitemapOf(plan: WebPlan, site: number, part: number, authority: Authority): WebObject | null {
  const listed = Math.ceil(plan.sizeOf(site) / LISTED_EVERY)
  const parts = listed > LISTED_PER_PART ? Math.ceil(listed / LISTED_PER_PART) : 0
  if (part > parts) return null
  const body = part === 0 && parts > 0 ? sitemapIndex(site, parts, authority) : sitemapPart()
  return { type: 'application/xml', body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}` }

  function sitemapPart(): string {
    const from = Math.max(0, part - 1) * LISTED_PER_PART
    const to = Math.min(listed, from + LISTED_PER_PART)
    let urls = ''
    for (let i = from; i < to; i++) {
      urls += `<url><loc>${plan.urlOf(site, i * LISTED_EVERY, authority).replace('&', '&amp;')}</loc></url>\n`
    }
    return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}</urlset>\n`
  }
}

function sitemapIndex(site: number, parts: number, authority: Authority): string {
  const path = new WebPath()
  let entries = ''
  for (let part = 1; part <= parts; part++) {
    entries += `<sitemap><loc>http://${authority(site)}${path.sitemap(part)}</loc></sitemap>\n`
  }
  return `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries}</sitemapindex>\n`
}
