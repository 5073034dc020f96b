import { describe, expect, it } from 'vitest'
import { htmlToMarkdown } from './html-to-markdown.js'

const markdown = (html: string) => htmlToMarkdown(html, 'http://a.test/dir/page')

describe('the main text of a page as Markdown', () => {
  it.each([
    ['<h1>One</h1><p>Two  \n three<h2>Four</h2>', '# One\n\nTwo three\n\n## Four'],
    ['<p>a <a href="b">link</a>, <a href="#x">none</a>', 'a [link](http://a.test/dir/b), none'],
    ['<p>see<a href="/x y#z"> this </a>too', 'see [this](http://a.test/x%20y#z) too'],
    ['<a href="/x"><h3>In a link</h3></a>', '### In a link'],
    ['<a href="/a_(b)#">c</a>', '[c](http://a.test/a_%28b%29)'],
    ['<ul><li>a<li>b<ul><li>c</ul><li>d</ul>', '- a\n- b\n  - c\n- d'],
    ['<ol start=3><li>a<li>b</ol>', '3. a\n4. b'],
    ['<ul><li><p>a<p>b</ul>', '- a\n\n  b'],
    ['<p>use <code>a_b*c</code> now', 'use `a_b*c` now'],
    ['<p><code>a`b</code>', '``a`b``'],
    [
      '<pre><code class="language-ts">\nconst a = 1\n  b &lt; c\n</code></pre>',
      '```ts\nconst a = 1\n  b < c\n```',
    ],
    ['<pre>a\n```\nb</pre>', '````\na\n```\nb\n````'],
    ['<blockquote><p>a<p>b</blockquote>c', '> a\n>\n> b\n\nc'],
    ['<p>a <br>b<br> c<br><br>d', 'a  \nb  \nc\n\nd'],
    ['<blockquote>a<br>b', '> a  \n> b'],
    ['<p>a<hr>b', 'a\n\n---\n\nb'],
    ['<img src="i.png" alt="A cat"><img src="j.png">', '![A cat](http://a.test/dir/i.png)'],
    [
      '<table><tr><th>k<th>v<tr><td>a|b<td><a href=/>home</a><tr><td>c</table>',
      '| k | v |\n| --- | --- |\n| a\\|b | [home](http://a.test/) |\n| c |  |',
    ],
    ['<table><tr><td><table><tr><td>x<td>y</table><p>z</table>', '| x | y |\n| --- | --- |\n\nz'],
    ['<p>1 * 2 [x] `y` &lt;b> \\ snake_case _u_', '1 \\* 2 \\[x\\] \\`y\\` \\<b> \\\\ snake_case \\_u\\_'],
    ['<p># no<p>- no<p>1. no<p>> no', '\\# no\n\n\\- no\n\n1\\. no\n\n\\> no'],
    ['<base href="http://b.test/"><a href="x">y</a>', '[y](http://b.test/x)'],
    ['a<script>b</script><style>c</style><template>d</template>', 'a'],
    ['<p>let <math><mi>x</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></math>.', 'let x = 1 2.'],
    [
      '<p>a <math alttext="no"><semantics><mi>x</mi><annotation encoding="application/x-tex">x_{1}\n^2</annotation>' +
        '<annotation encoding="text/plain">no</annotation></semantics></math> b',
      'a $x_{1} ^2$ b',
    ],
    ['<math display="block" alttext="\\$ y"><mi>no</mi></math>', '$$\\$ y$$'],
    ['<table><tr><td>a<td><math alttext="a|b"><mi>no</mi></math></table>', '| a | $a\\|b$ |\n| --- | --- |'],
    ['<pre>a <math alttext="x"></math></pre>', '```\na $x$\n```'],
    ['', ''],
  ])('%s', (html, expected) => {
    expect(markdown(html)).toBe(expected)
  })

  it('is that of <main>, else of the articles, else all but menus', () => {
    const frame = '<header>top</header><nav>menu</nav><aside>side</aside>'
    expect(markdown(`${frame}<p>other<main><header>head</header>text</main>`)).toBe('head\n\ntext')
    expect(markdown(`${frame}<p>other<article>a</article><article>b</article>`)).toBe('a\n\nb')
    expect(markdown(`${frame}<p>other<main> </main><footer>end</footer>`)).toBe('other')
    expect(markdown('<div role=main>a</div>b')).toBe('a')
  })

  it('stays in proportion whatever the page is', () => {
    expect(markdown('<div>'.repeat(50_000))).toBeNull()
    const deep = markdown(`${'<ul><li>x'.repeat(1_500)}`)
    expect(deep?.length).toBeLessThan(100_000)
    expect(markdown(`<p>${'a'.repeat(2_000_000)}`)).toHaveLength(2_000_000)
    expect(markdown('<a href=x>y</a> '.repeat(100_000))?.length).toBeLessThan(5_000_000)
    expect(markdown(`<p>${'x <br>'.repeat(200_000)}`)?.length).toBeLessThan(5_000_000)
    expect(markdown(`<pre>${'`'.repeat(1_000_000)}</pre>`)).not.toBeNull()
  })
})
