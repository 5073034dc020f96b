/**
 * Product data by selectors: one row per product, in a table of its own.
 *
 *   orbweaver crawl https://shop.example/ --guest docs/examples/products.ts
 *   orbweaver query ./shop.example-2026-01-31 "SELECT name, price FROM products ORDER BY price"
 */
import { defineGuest, type Facts } from 'orbweaver'

interface Product {
  [field: string]: string | number | boolean
  name: string
  price: number
  inStock: boolean
}

export default defineGuest<Facts, Product>({
  schema: {
    properties: { name: { type: 'string' }, price: { type: 'number' }, inStock: { type: 'boolean' } },
    required: ['name'],
  },
  // The rows are all that is wanted: no record in the archive, no text.
  select: ({ mime }) => (mime === 'text/html' ? 'meta' : 'none'),
  extract(page) {
    return page.find('.product').map(product => ({
      name: product.find('h2, .name')[0]?.text ?? '',
      price: Number(product.find('[data-price]')[0]?.attribute('data-price') ?? 0),
      inStock: product.find('.sold-out').length === 0,
    }))
  },
  // Shopping baskets are no pages.
  accept: url => !url.includes('/cart'),
})
