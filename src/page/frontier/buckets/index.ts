/**
 * page/frontier/buckets/: lists of URLs for one connection under the phases assignment.
 */
export { Bucket, type BucketElement } from './bucket.js'
