/** The frame of a generated page: head, URLs that are not links, foot. */
import { DECOY_FOLDER } from './page-path.js'
import { SLUGS } from './words.js'

export interface PageFrame {
  readonly site: number
  readonly page: number
  readonly version: number
  /** `http://host:port` */
  readonly origin: string
  readonly path: string
  readonly hasBase: boolean
  /** The words of the site's topic. */
  readonly words: readonly string[]
}

const LANGUAGES = ['en', 'en-GB', 'en-US', 'EN']

export function titleOf({ page, words, origin }: PageFrame): string {
  const subject = `${words[0]} &amp; ${words[page % words.length]}`
  return `${subject}: ${SLUGS[(page * 13) % SLUGS.length]} ${page} of ${origin.slice('http://'.length)}`
}

/** Everything before the links in the head. */
export function headOf(frame: PageFrame): string {
  const { site, page, version, origin, path, words } = frame
  const base = frame.hasBase ? '<base href="/">\n' : ''
  const canonical =
    page % 4 === 1 ? `<link rel="canonical" href="${origin}${path.replace('&', '&amp;')}">\n` : ''
  const about = `About ${words[1]}, ${words[2]} and ${words[3]}; page ${page}, revision ${version}`
  return `<!DOCTYPE html>
<html lang="${LANGUAGES[site % LANGUAGES.length]}">
<head>
<meta charset="utf-8">
<title>${titleOf(frame)}</title>
${base}<meta name="description" content="${about}">
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="/assets/site.css">
<script src="/assets/app.js" defer></script>
${canonical}`
}

/**
 * URLs that are not links: in a comment, a script, an attribute, and in a text area, a form or plain text.
 */
export function decoysOf({ page, origin }: PageFrame): string {
  const decoy = `${DECOY_FOLDER}${page}`
  return `<!-- <a href="${decoy}-c.html">old</a> <p>-- > -->
<script>
var next = '<a href="${decoy}-s.html">more<\\/a>'; var base = "${origin}${decoy}-t.html";
</script>
<img src="/assets/pic-${page % 4}.png" srcset="/assets/pic-${(page + 1) % 4}.png 2x" alt='<a href="${decoy}-i.html">'>
${thirdDecoy(page, origin + decoy)}`
}

function thirdDecoy(page: number, decoy: string): string {
  switch (page % 3) {
    case 0:
      return `<textarea rows="2"><a href="${decoy}-x.html">paste this</a></textarea>\n`
    case 1:
      return `<form action="${decoy}-f.html" method="get"><input name="q"></form>\n`
    default:
      return `<p>It used to stand at ${decoy}-p.html until it moved.</p>\n`
  }
}

export function footerOf({ page, version, origin }: PageFrame): string {
  return `</ul></aside></main>
<footer><p>${origin.slice('http://'.length)} &copy; page ${page}, revision ${version}.
<a href="#top">Back to top</a> <a href="mailto:page-${page}@example.test">Write</a>
<a href="javascript:void(0)">Print</a> <a name="end">End</a> caf\u00c3\u00a9</p></footer>
</body>
</html>
`
}
