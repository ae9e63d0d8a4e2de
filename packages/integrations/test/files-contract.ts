import { describe, expect, it } from 'vitest'
import { opencloud } from '../src/files/opencloud.ts'
import type { FileStorage } from '../src/files/port.ts'

/** A server with libre-graph, and a service user that may create spaces. */
export interface FilesServer {
  baseUrl: string
  user: string
  appToken: string
  /** Spaces by their mark, counted on the server without our client. */
  countSpaces: (marker: string) => Promise<number>
  /** Puts so many bytes into the space. */
  fill: (spaceId: string, bytes: number) => Promise<void>
}

/** What every file storage behind the port does. Holds for the stand-in and for OpenCloud alike. */
export function filesContract(name: string, server: () => FilesServer): void {
  const client = (change: { appToken?: string; baseUrl?: string } = {}): FileStorage => {
    const { baseUrl, user, appToken } = server()
    return opencloud({ baseUrl, user, appToken, deadlineMs: 20_000, operationDeadlineMs: 40_000, ...change })
  }
  let made = 0
  const marker = () => {
    made += 1
    return `contract-${Date.now().toString(36)}-${made}`
  }
  const GB = 1_000_000_000

  describe(`file storage contract: ${name}`, () => {
    it('proves the credentials', async () => {
      expect((await client().check()).userId).not.toBe('')
    })

    it('tells wrong credentials apart', async () => {
      await expect(client({ appToken: 'wrong' }).check()).rejects.toMatchObject({ kind: 'unauthorized', status: 401 })
      await expect(client({ appToken: 'wrong' }).storage('x$y')).rejects.toMatchObject({ kind: 'unauthorized', status: 401 })
    })

    it('tells a wrong address apart', async () => {
      const { baseUrl } = server()
      await expect(client({ baseUrl: `${baseUrl}/elsewhere` }).check()).rejects.toMatchObject({ system: 'files' })
    })

    it('creates a space once, whether or not the id was kept', async () => {
      const request = { marker: marker(), name: 'Acme Inc. / Berlin: "Büro"', quotaBytes: 5 * GB }
      const first = await client().ensureSpace(request)
      expect(first.created).toBe(true)
      const again = { id: first.id, created: false }
      expect(await client().ensureSpace({ ...request, spaceId: first.id })).toEqual(again)
      expect(await client().ensureSpace(request)).toEqual(again)
      expect(await client().ensureSpace({ ...request, spaceId: 'no-such$space' })).toEqual(again)
      expect(await server().countSpaces(request.marker)).toBe(1)
    })

    it('keeps two tenants of one name apart', async () => {
      const one = await client().ensureSpace({ marker: marker(), name: 'Twin', quotaBytes: GB })
      const other = await client().ensureSpace({ marker: marker(), name: 'Twin', quotaBytes: GB })
      expect(other).toMatchObject({ created: true })
      expect(other.id).not.toBe(one.id)
    })

    it('takes a name of which nothing is left, and one that is far too long', async () => {
      expect(await client().ensureSpace({ marker: marker(), name: '...', quotaBytes: GB })).toMatchObject({ created: true })
      expect(await client().ensureSpace({ marker: marker(), name: 'ü'.repeat(300), quotaBytes: GB })).toMatchObject({ created: true })
    })

    it('answers the storage of a space', async () => {
      const { id } = await client().ensureSpace({ marker: marker(), name: 'Storage', quotaBytes: 2 * GB })
      expect(await client().storage(id)).toEqual({ total: 2 * GB, used: 0, remaining: 2 * GB, state: 'normal' })
    })

    it('changes the quota of a space that is there, and lifts it', async () => {
      const request = { marker: marker(), name: 'Quota', quotaBytes: GB }
      const { id } = await client().ensureSpace(request)
      await client().ensureSpace({ ...request, spaceId: id, quotaBytes: 3 * GB })
      expect(await client().storage(id)).toMatchObject({ total: 3 * GB, remaining: 3 * GB })
      await client().ensureSpace({ ...request, spaceId: id, quotaBytes: 0 })
      expect(await client().storage(id)).toEqual({ total: null, used: 0, remaining: null, state: 'normal' })
    })

    it('disables a space, any number of times, and brings it back with its quota', async () => {
      const request = { marker: marker(), name: 'Coming back', quotaBytes: GB }
      const { id } = await client().ensureSpace(request)
      await client().disableSpace(id)
      await client().disableSpace(id)
      expect(await client().storage(id)).toEqual({ total: GB, used: null, remaining: null, state: 'disabled' })
      expect(await client().ensureSpace(request)).toEqual({ id, created: false })
      expect(await client().storage(id)).toMatchObject({ total: GB, used: 0, state: 'normal' })
      await client().disableSpace(id)
      expect(await client().ensureSpace({ ...request, spaceId: id, quotaBytes: 2 * GB })).toEqual({ id, created: false })
      expect(await client().storage(id)).toMatchObject({ total: 2 * GB, state: 'normal' })
      expect(await server().countSpaces(request.marker)).toBe(1)
    })

    it('knows no storage of a space that is not there, and takes it for disabled', async () => {
      expect(await client().storage('no-such$space')).toBeUndefined()
      await client().disableSpace('no-such$space')
    })

    it('tells the use as it grows, and its state', async () => {
      const request = { marker: marker(), name: 'Filling', quotaBytes: 1000 }
      const { id } = await client().ensureSpace(request)
      await server().fill(id, 938)
      // A real server counts an upload a moment later.
      await expect
        .poll(() => client().storage(id), { timeout: 15_000 })
        .toEqual({ total: 1000, used: 938, remaining: 62, state: 'critical' })
      await client().ensureSpace({ ...request, quotaBytes: 900 })
      expect(await client().storage(id)).toEqual({ total: 900, used: 938, remaining: 0, state: 'exceeded' })
    })
  })
}
