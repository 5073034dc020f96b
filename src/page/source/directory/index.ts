/**
 * page/source/directory/: a site from the files of its document root. In: a request for a URL below a prefix.
 * Out: the file, a redirect to a directory, or 304, 403 and 404, as a static server answers. Always: only
 * regular files below the root are read, and none whose path has a part that begins with a dot.
 */
export { DirectoryReader } from './directory-reader.js'
