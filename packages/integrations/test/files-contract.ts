import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { opencloud } from '../src/files/opencloud.ts'
import type { FileStorage } from '../src/files/port.ts'

/** A server with libre-graph, and a service user that may create spaces. */
export interface FilesServer {
  readonly baseUrl: string
  readonly user: string
  readonly appToken: string
  /** Spaces by their mark, counted on the server without our client. */
  countSpaces: (marker: string) => Promise<number>
  /** Puts so many bytes into the space. */
  fill: (spaceId: string, bytes: number) => Promise<void>
  /** Ids of the accounts in the space by their role, read on the server without our client. */
  members: (spaceId: string) => Promise<Record<string, string>>
  /** Creates an account past our client, as somebody else or a sign-in would; its id. */
  createUnmarked: (
    username: string,
    identities: readonly { issuer: string; issuerAssignedId: string }[],
  ) => Promise<string>
  /** Plays a sign-in, which makes the account's own space, and puts so many bytes into it. */
  signInAndFill: (username: string, bytes: number) => Promise<void>
}

const editor = '58c63c02-1d89-4572-916a-870abc5a1b7d'
const viewer = 'a8d5fe5e-96e3-418d-825b-534dbdf22b99'

/** What every file storage behind the port does. Holds for the stand-in and for OpenCloud alike. */
export function filesContract(name: string, server: () => FilesServer): void {
  const client = (change: { appToken?: string; baseUrl?: string } = {}): FileStorage => {
    const { baseUrl, user, appToken } = server()
    return opencloud({
      baseUrl,
      user,
      appToken,
      deadlineMs: 20_000,
      operationDeadlineMs: 40_000,
      ...change,
    })
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
      await expect(client({ appToken: 'wrong' }).check()).rejects.toMatchObject({
        kind: 'unauthorized',
        status: 401,
      })
      await expect(client({ appToken: 'wrong' }).storage('x$y')).rejects.toMatchObject({
        kind: 'unauthorized',
        status: 401,
      })
    })

    it('leaves nothing behind when it looks whether every username is taken', async () => {
      await client().check()
      expect(await client().findAccount('0')).toBeUndefined()
    })

    it('tells a wrong address apart', async () => {
      const { baseUrl } = server()
      await expect(client({ baseUrl: `${baseUrl}/elsewhere` }).check()).rejects.toMatchObject({
        system: 'files',
      })
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
      expect(
        await client().ensureSpace({ marker: marker(), name: '...', quotaBytes: GB }),
      ).toMatchObject({ created: true })
      expect(
        await client().ensureSpace({ marker: marker(), name: 'ü'.repeat(300), quotaBytes: GB }),
      ).toMatchObject({ created: true })
    })

    it('returns the storage of a space', async () => {
      const { id } = await client().ensureSpace({
        marker: marker(),
        name: 'Storage',
        quotaBytes: 2 * GB,
      })
      expect(await client().storage(id)).toEqual({
        total: 2 * GB,
        used: 0,
        remaining: 2 * GB,
        state: 'normal',
      })
    })

    it('changes the quota of a space that is there, and lifts it', async () => {
      const request = { marker: marker(), name: 'Quota', quotaBytes: GB }
      const { id } = await client().ensureSpace(request)
      await client().ensureSpace({ ...request, spaceId: id, quotaBytes: 3 * GB })
      expect(await client().storage(id)).toMatchObject({ total: 3 * GB, remaining: 3 * GB })
      await client().ensureSpace({ ...request, spaceId: id, quotaBytes: 0 })
      expect(await client().storage(id)).toEqual({
        total: null,
        used: 0,
        remaining: null,
        state: 'normal',
      })
    })

    it('disables a space, any number of times, and brings it back with its quota', async () => {
      const request = { marker: marker(), name: 'Coming back', quotaBytes: GB }
      const { id } = await client().ensureSpace(request)
      await client().disableSpace(id)
      await client().disableSpace(id)
      expect(await client().storage(id)).toEqual({
        total: GB,
        used: null,
        remaining: null,
        state: 'disabled',
      })
      expect(await client().ensureSpace(request)).toEqual({ id, created: false })
      expect(await client().storage(id)).toMatchObject({ total: GB, used: 0, state: 'normal' })
      await client().disableSpace(id)
      expect(await client().ensureSpace({ ...request, spaceId: id, quotaBytes: 2 * GB })).toEqual({
        id,
        created: false,
      })
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
      expect(await client().storage(id)).toEqual({
        total: 900,
        used: 938,
        remaining: 0,
        state: 'exceeded',
      })
    })

    const whoever = () => ({ id: randomUUID(), subject: randomUUID() })
    const person = () => ({
      person: whoever(),
      email: `${marker()}@acme.test`,
      displayName: 'Nina New',
    })

    it('makes one account for an address, in any case', async () => {
      const request = person()
      const { email } = request
      expect(await client().findAccount(email)).toBeUndefined()
      const first = await client().ensureAccount({ ...request, email: email.toUpperCase() })
      expect(first.created).toBe(true)
      expect(await client().ensureAccount({ ...request, displayName: 'Another name' })).toEqual({
        id: first.id,
        created: false,
      })
      const shown = {
        id: first.id,
        username: email,
        enabled: true,
        personId: request.person.id,
        subjects: [],
      }
      expect(await client().findAccount(email.toUpperCase())).toEqual(shown)
      expect(await client().findAccount(first.id)).toBeUndefined()
    })

    it('accepts a person without a name, and rejects an invalid address', async () => {
      expect(await client().ensureAccount({ ...person(), displayName: ' ' })).toMatchObject({
        created: true,
      })
      await expect(
        client().ensureAccount({ ...person(), email: 'no address' }),
      ).rejects.toMatchObject({ kind: 'refused' })
    })

    it('never takes the account of one person for another’s, and keeps its mark through changes', async () => {
      const request = person()
      const { id } = await client().ensureAccount(request)
      const another = { ...request, person: whoever() }
      await expect(client().ensureAccount(another)).rejects.toMatchObject({
        kind: 'conflict',
        status: 409,
      })
      // The subject of the other person does not help where the mark names somebody.
      const { subject } = another.person
      await expect(
        client().ensureAccount({ ...request, person: { id: randomUUID(), subject } }),
      ).rejects.toMatchObject({
        kind: 'conflict',
      })
      await client().updateAccount({ id, displayName: 'Nina Newer' })
      await client().setAccountEnabled({ id, enabled: false })
      expect(await client().findAccount(request.email)).toMatchObject({
        id,
        personId: request.person.id,
      })
      expect(await client().ensureAccount(request)).toEqual({ id, created: false })
    })

    it('takes over the account that the person’s own sign-in created, and no other', async () => {
      const request = person()
      const { subject } = request.person
      const identity = {
        issuer: 'https://id.acme.test/application/o/files/',
        issuerAssignedId: subject,
      }
      const id = await server().createUnmarked(request.email, [identity])
      expect(await client().findAccount(request.email)).toMatchObject({
        id,
        personId: undefined,
        subjects: [subject],
      })
      await expect(client().ensureAccount({ ...request, person: whoever() })).rejects.toMatchObject(
        { kind: 'conflict' },
      )
      expect(await client().ensureAccount(request)).toEqual({ id, created: false })
      expect(await client().findAccount(request.email)).toMatchObject({
        personId: request.person.id,
        subjects: [subject],
      })

      const unknown = person()
      await server().createUnmarked(unknown.email, [])
      await expect(client().ensureAccount(unknown)).rejects.toMatchObject({ kind: 'conflict' })
    })

    it('marks an account of earlier days with the next change', async () => {
      const { person: owner, email } = person()
      const id = await server().createUnmarked(email, [])
      await client().updateAccount({ id, personId: owner.id, displayName: 'Nina', email })
      expect(await client().findAccount(email)).toMatchObject({ id, personId: owner.id })
    })

    it('disables and enables an account, any number of times', async () => {
      const request = person()
      const { email } = request
      const { id } = await client().ensureAccount(request)
      for (const enabled of [false, false, true, true]) {
        await client().setAccountEnabled({ id, enabled })
        expect(await client().findAccount(email)).toMatchObject({ enabled })
      }
    })

    it('gives an account another name and address, but not one that is taken', async () => {
      const [one, other] = [person(), person()]
      const { id } = await client().ensureAccount(one)
      await client().ensureAccount(other)
      const moved = `moved-${one.email}`
      await client().updateAccount({ id })
      await client().updateAccount({ id, displayName: 'Nina Newer', email: moved })
      expect(await client().findAccount(one.email)).toBeUndefined()
      expect(await client().findAccount(moved)).toMatchObject({ id })
      await expect(client().updateAccount({ id, email: other.email })).rejects.toMatchObject({
        kind: 'conflict',
        status: 409,
      })
    })

    it('removes an account, any number of times, and says so when an absent one is to be changed', async () => {
      const request = person()
      const { email } = request
      const { id } = await client().ensureAccount(request)
      await client().removeAccount(id)
      await client().removeAccount(id)
      expect(await client().findAccount(email)).toBeUndefined()
      expect(await client().accountUsage(id)).toBeUndefined()
      await expect(client().updateAccount({ id, displayName: 'X' })).rejects.toMatchObject({
        kind: 'not_found',
      })
      await expect(client().setAccountEnabled({ id, enabled: false })).rejects.toMatchObject({
        kind: 'not_found',
      })
    })

    it('lets accounts edit in a space and takes them out again, any number of times', async () => {
      const space = await client().ensureSpace({
        marker: marker(),
        name: 'Members',
        quotaBytes: GB,
      })
      const [one, other] = [
        await client().ensureAccount(person()),
        await client().ensureAccount(person()),
      ]
      const inSpace = (accountId: string) => ({ spaceId: space.id, accountId })
      for (const { id } of [one, one, other]) await client().addToSpace(inSpace(id))
      expect(await server().members(space.id)).toMatchObject({
        [one.id]: editor,
        [other.id]: editor,
      })
      await client().addToSpace({ ...inSpace(one.id), role: 'viewer' })
      expect(await server().members(space.id)).toMatchObject({
        [one.id]: viewer,
        [other.id]: editor,
      })
      await client().addToSpace(inSpace(one.id))
      expect(await server().members(space.id)).toMatchObject({ [one.id]: editor })
      await client().removeFromSpace(inSpace(one.id))
      await client().removeFromSpace(inSpace(one.id))
      expect(await server().members(space.id)).not.toHaveProperty(one.id)
      expect(await server().members(space.id)).toHaveProperty(other.id)
    })

    it('tells a space or an account that is gone, and takes it for left', async () => {
      const space = await client().ensureSpace({ marker: marker(), name: 'Gone', quotaBytes: GB })
      const account = await client().ensureAccount(person())
      await client().addToSpace({ spaceId: space.id, accountId: account.id })
      await client().removeAccount(account.id)
      // The grant outlives the account.
      await client().removeFromSpace({ spaceId: space.id, accountId: account.id })
      expect(await server().members(space.id)).not.toHaveProperty(account.id)
      await client().removeFromSpace({ spaceId: 'no-such$space', accountId: account.id })
      const unknown = { spaceId: space.id, accountId: randomUUID() }
      await expect(client().addToSpace(unknown)).rejects.toMatchObject({ kind: 'not_found' })
      await expect(
        client().addToSpace({ spaceId: 'no-such$space', accountId: account.id }),
      ).rejects.toMatchObject({ kind: 'not_found' })
    })

    it('may let an account in for a minute after it was removed, and takes it out again', async () => {
      const space = await client().ensureSpace({
        marker: marker(),
        name: 'Remembered',
        quotaBytes: GB,
      })
      const account = await client().ensureAccount(person())
      const membership = { spaceId: space.id, accountId: account.id }
      await client().addToSpace(membership)
      await client().removeAccount(account.id)
      await client().removeFromSpace(membership)
      // The server remembers accounts that it looked up; how long is a setting of its own.
      await client()
        .addToSpace(membership)
        .catch((error: unknown) => expect(error).toMatchObject({ kind: 'not_found' }))
      await client().removeFromSpace(membership)
      expect(await server().members(space.id)).not.toHaveProperty(account.id)
    })

    it('removes only deleted accounts from a space', async () => {
      const space = await client().ensureSpace({
        marker: marker(),
        name: 'Cleared',
        quotaBytes: GB,
      })
      const ids = [
        (await client().ensureAccount(person())).id,
        (await client().ensureAccount(person())).id,
        (await client().ensureAccount(person())).id,
      ]
      const [gone = '', alsoGone = '', stays = ''] = ids
      for (const accountId of ids) await client().addToSpace({ spaceId: space.id, accountId })
      for (const id of [gone, alsoGone]) await client().removeAccount(id)
      const { userId } = await client().check()
      expect(await client().removeGoneFromSpace({ spaceId: space.id, known: [gone] })).toBe(1)
      expect(Object.keys(await server().members(space.id)).sort()).toEqual(
        [userId, gone, stays].sort(),
      )
      expect(await client().removeGoneFromSpace({ spaceId: space.id, known: [] })).toBe(1)
      expect(await client().removeGoneFromSpace({ spaceId: space.id, known: [] })).toBe(0)
      expect(Object.keys(await server().members(space.id)).sort()).toEqual([userId, stays].sort())
      await expect(
        client().removeGoneFromSpace({ spaceId: 'no-such$space', known: [] }),
      ).rejects.toMatchObject({ kind: 'not_found' })
    })

    it('does not pretend to change the members of a disabled space', async () => {
      const space = await client().ensureSpace({
        marker: marker(),
        name: 'Disabled',
        quotaBytes: GB,
      })
      const account = await client().ensureAccount(person())
      await client().disableSpace(space.id)
      const membership = { spaceId: space.id, accountId: account.id }
      await expect(client().addToSpace(membership)).rejects.toMatchObject({ kind: 'refused' })
      await expect(client().removeFromSpace(membership)).rejects.toMatchObject({ kind: 'refused' })
    })

    it('never takes the last manager out of a space', async () => {
      const space = await client().ensureSpace({
        marker: marker(),
        name: 'Managed',
        quotaBytes: GB,
      })
      const { userId } = await client().check()
      await expect(
        client().removeFromSpace({ spaceId: space.id, accountId: userId }),
      ).rejects.toMatchObject({ status: 403 })
      expect(await server().members(space.id)).toHaveProperty(userId)
    })

    it('tells what an account stores: nothing before the first sign-in', async () => {
      const request = person()
      const { email } = request
      const { id } = await client().ensureAccount(request)
      expect(await client().accountUsage(id)).toBe(0)
      await server().signInAndFill(email, 4711)
      await expect.poll(() => client().accountUsage(id), { timeout: 15_000 }).toBe(4711)
    })
  })
}
