/** SQL over a finished or running crawl: `npx tsx docs/examples/ask.ts my-crawl` */
import { query } from 'orbweaver'

const [directory = 'my-crawl'] = process.argv.slice(2)
const sql = `SELECT url_host_name AS host, count(*) AS pages, avg(length(text))::INT AS characters
             FROM pages WHERE outcome = 'OK' GROUP BY ALL ORDER BY pages DESC`

for await (const row of query(directory, sql)) console.log(row.host, row.pages, row.characters)
