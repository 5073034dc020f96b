/** Vertices by falling key, with keys that change: an indexed binary heap. */
export class VertexHeap {
  size = 0
  readonly keys: Float64Array
  readonly #heap: Int32Array
  readonly #at: Int32Array

  constructor(vertexCount: number) {
    this.keys = new Float64Array(vertexCount)
    this.#heap = new Int32Array(vertexCount)
    this.#at = new Int32Array(vertexCount).fill(-1)
  }

  has(vertex: number): boolean {
    return this.#at[vertex] >= 0
  }

  top(): number {
    return this.#heap[0]
  }

  /** Adds the vertex or changes its key. */
  put(vertex: number, key: number): void {
    const at = this.#at[vertex]
    if (at < 0) {
      this.keys[vertex] = key
      this.#up(vertex, this.size++)
      return
    }
    const old = this.keys[vertex]
    this.keys[vertex] = key
    if (key > old) this.#up(vertex, at)
    else if (key < old) this.#down(vertex, at)
  }

  pop(): number {
    const vertex = this.#heap[0]
    this.remove(vertex)
    return vertex
  }

  remove(vertex: number): void {
    const at = this.#at[vertex]
    if (at < 0) return
    this.#at[vertex] = -1
    const last = this.#heap[--this.size]
    if (last === vertex) return
    if (this.keys[last] > this.keys[vertex]) this.#up(last, at)
    else this.#down(last, at)
  }

  clear(): void {
    for (let i = 0; i < this.size; i++) this.#at[this.#heap[i]] = -1
    this.size = 0
  }

  #up(vertex: number, from: number): void {
    const heap = this.#heap
    const keys = this.keys
    const key = keys[vertex]
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      const other = heap[parent]
      if (keys[other] >= key) break
      heap[at] = other
      this.#at[other] = at
      at = parent
    }
    heap[at] = vertex
    this.#at[vertex] = at
  }

  #down(vertex: number, from: number): void {
    const heap = this.#heap
    const keys = this.keys
    const key = keys[vertex]
    const size = this.size
    let at = from
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      if (child + 1 < size && keys[heap[child + 1]] > keys[heap[child]]) child++
      const other = heap[child]
      if (keys[other] <= key) break
      heap[at] = other
      this.#at[other] = at
      at = child
    }
    heap[at] = vertex
    this.#at[vertex] = at
  }
}
