import { ApiError, createAtriumClient, dataOf, listItems } from '@atrium/client'

// Keeps the distribution list "everyone" equal to the active members of a workplace. It changes
// only what differs, so it can run as often as you like.
const { ATRIUM_URL: url, ATRIUM_TOKEN: token, ATRIUM_TENANT: slug } = process.env
if (!url || !token || !slug) throw new Error('Set ATRIUM_URL, ATRIUM_TOKEN and ATRIUM_TENANT.')

const atrium = createAtriumClient({ url, token })
const path = { slug }

/** Addresses of the active members. */
async function readMembers(): Promise<string[]> {
  const addresses: string[] = []
  for await (const member of listItems(atrium, '/tenants/{slug}/users', { path }))
    if (member.status === 'active') addresses.push(member.email)
  return addresses.sort()
}

async function findList(name: string) {
  for await (const list of listItems(atrium, '/tenants/{slug}/lists', { path }))
    if (list.address.startsWith(`${name}@`))
      return dataOf(
        atrium.GET('/tenants/{slug}/lists/{listId}', {
          params: { path: { ...path, listId: list.id } },
        }),
      )
  return undefined
}

try {
  const recipients = await readMembers()
  const list = await findList('everyone')
  if (!list) {
    const created = await dataOf(
      atrium.POST('/tenants/{slug}/lists', {
        params: { path },
        body: { address: 'everyone', name: 'Everyone', recipients },
      }),
    )
    console.log(`Created ${created.address} with ${recipients.length} recipients.`)
  } else if (list.recipients.toSorted().join() === recipients.join()) {
    console.log(`${list.address} is up to date.`)
  } else {
    // Of several programs that change the list at once, one succeeds; the others get 409.
    await dataOf(
      atrium.PATCH('/tenants/{slug}/lists/{listId}', {
        params: { path: { ...path, listId: list.id } },
        body: { recipients, expectedVersion: list.editVersion },
      }),
    )
    console.log(`${list.address} has ${recipients.length} recipients now.`)
  }
} catch (error) {
  if (!(error instanceof ApiError)) throw error
  console.error(`${error.message} (${error.code}, request ${error.problem?.requestId})`)
  process.exitCode = 1
}
