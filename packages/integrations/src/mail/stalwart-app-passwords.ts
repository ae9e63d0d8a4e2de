import { z } from 'zod'
import type { HttpClient } from '../http-client.ts'
import { jmap, SetError, setFailure } from './jmap.ts'
import type { MailAppPasswords } from './port.ts'
import { assertObjectId, destroyRejection, isObjectId } from './stalwart-objects.ts'

const Made = z.object({
  created: z
    .object({ object: z.object({ id: z.string().min(1), secret: z.string().min(1) }).optional() })
    .nullish(),
  notCreated: z.object({ object: SetError.optional() }).nullish(),
})

const Held = z.object({
  list: z.array(
    z.object({
      id: z.string().min(1),
      description: z.string().nullish(),
      createdAt: z.iso.datetime({ offset: true }).nullish(),
    }),
  ),
})

/**
 * Further credentials of one mailbox, made by a holder of `impersonate` without knowing its
 * password.
 */
export function stalwartAppPasswords(client: HttpClient): MailAppPasswords {
  return {
    createAppPassword: ({ accountId, description }, options) =>
      client.operation('createAppPassword', options, async (operation) => {
        assertObjectId(operation, accountId)
        const { created, notCreated } = await jmap(operation, client, {
          calls: [['x:AppPassword/set', { accountId, create: { object: { description } } }, 'set']],
          repeatable: false,
          read: ([result]) => Made.parse(result),
          rights: ['impersonate', 'sysAppPasswordCreate'],
        })
        if (created?.object) return created.object
        if (!notCreated?.object)
          throw operation.fail('invalid_answer', { note: 'it tells neither success nor failure' })
        if (notCreated.object.type === 'overQuota')
          throw operation.fail('conflict', {
            status: 200,
            note: 'the mailbox has as many app passwords as it may have',
          })
        throw setFailure(operation, notCreated.object)
      }),

    listAppPasswords: ({ accountId }, options) =>
      client.operation('listAppPasswords', options, async (operation) => {
        if (!isObjectId(accountId)) return []
        const { list } = await jmap(operation, client, {
          calls: [
            [
              'x:AppPassword/get',
              { accountId, ids: null, properties: ['id', 'description', 'createdAt'] },
              'get',
            ],
          ],
          repeatable: true,
          read: ([result]) => Held.parse(result),
          rights: ['impersonate', 'sysAppPasswordGet'],
        })
        return list.map(({ id, description, createdAt }) => ({
          id,
          description: description ?? '',
          createdAt: createdAt ?? null,
        }))
      }),

    removeAppPassword: ({ accountId, id }, options) =>
      client.operation('removeAppPassword', options, async (operation) => {
        if (!isObjectId(accountId) || !isObjectId(id)) return
        const rejected = await jmap(operation, client, {
          calls: [['x:AppPassword/set', { accountId, destroy: [id] }, 'set']],
          repeatable: true,
          read: ([result]) => destroyRejection(operation, result, id),
          rights: ['impersonate', 'sysAppPasswordDestroy'],
        })
        if (rejected) throw setFailure(operation, rejected)
      }),
  }
}
