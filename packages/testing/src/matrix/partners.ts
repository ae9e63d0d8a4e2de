import { randomBytes } from 'node:crypto'
import {
  membersOrOperators,
  operatorsOnly,
  partnersOrOperators,
  type Rows,
  slug,
  type World,
} from './rows.ts'

const newSlug = () => `partner-${randomBytes(6).toString('hex')}`
const own = ({ partnerSlug }: World) => ({ slug: partnerSlug })

async function freshPartner({ testApp }: World): Promise<{ slug: string }> {
  const slug = newSlug()
  await testApp.database.db.insertInto('partners').values({ slug, name: slug }).execute()
  return { slug }
}

async function colleague(world: World): Promise<{ slug: string; userId: string }> {
  const subject = randomBytes(32).toString('hex')
  const { id } = await world.testApp.database.db
    .insertInto('users')
    .values({
      idp_subject_id: subject,
      email: `${subject.slice(0, 20)}@north.test`,
      name: 'Colleague',
      partner_id: world.partnerId,
      partner_access: 'viewer',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { ...own(world), userId: id }
}

async function report(world: World): Promise<{ slug: string; id: string }> {
  const { id } = await world.testApp.database.db
    .insertInto('saved_reports')
    .values({ partner_id: world.partnerId, name: newSlug(), kind: 'mrr' })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { ...own(world), id }
}

const customer = (world: World) => ({ ...own(world), tenantSlug: world.slug })

/** Staff are owners here; what lower levels may is in partners-access.test.ts. */
export const partnersRows: Rows = {
  'partners.create': [{ input: () => ({ name: newSlug() }), expected: operatorsOnly }],
  'partners.list': [{ input: () => ({ limit: 1 }), expected: operatorsOnly }],
  'partners.get': [{ input: own, expected: partnersOrOperators }],
  'partners.update': [
    {
      input: async (world) => ({ ...(await freshPartner(world)), name: 'Renamed' }),
      expected: operatorsOnly,
    },
  ],
  'partners.terminate': [{ input: freshPartner, expected: operatorsOnly }],
  'partners.tenants': [{ input: own, expected: operatorsOnly }],
  'partners.margins': [{ input: own, expected: partnersOrOperators }],
  'partners.overview': [{ input: own, expected: partnersOrOperators }],
  'partners.staff': [{ input: own, expected: partnersOrOperators }],
  'partners.inviteStaff': [
    {
      input: (world) => ({
        ...own(world),
        name: 'New',
        email: `${newSlug()}@example.test`,
        access: 'viewer',
      }),
      expected: partnersOrOperators,
    },
  ],
  'partners.changeStaffAccess': [
    {
      input: async (world) => ({ ...(await colleague(world)), access: 'manager' }),
      expected: partnersOrOperators,
    },
  ],
  'partners.removeStaff': [{ input: colleague, expected: partnersOrOperators }],
  'partners.customers': [{ input: own, expected: partnersOrOperators }],
  'partners.updateCustomer': [
    { input: (world) => ({ ...customer(world), seats: 7 }), expected: partnersOrOperators },
  ],
  'partners.suspendCustomer': [{ input: customer, expected: partnersOrOperators }],
  'partners.resumeCustomer': [
    {
      input: customer,
      expected: {
        ...partnersOrOperators,
        partnerStaff: 'not_suspended',
        operator: 'not_suspended',
      },
    },
  ],
  'partners.settings': [{ input: own, expected: partnersOrOperators }],
  'partners.updateSettings': [
    {
      input: (world) => ({ ...own(world), supportEmail: 'help@north.test' }),
      expected: partnersOrOperators,
    },
  ],
  'partners.support': [{ input: slug, expected: membersOrOperators }],
  'partners.branding': [{ input: own, expected: partnersOrOperators }],
  'partners.updateBranding': [
    { input: (world) => ({ ...own(world), productName: 'North' }), expected: partnersOrOperators },
  ],
  'partners.savedReports': [{ input: own, expected: partnersOrOperators }],
  'partners.saveReport': [
    {
      input: (world) => ({ ...own(world), name: newSlug(), kind: 'mrr' }),
      expected: partnersOrOperators,
    },
  ],
  'partners.deleteSavedReport': [{ input: report, expected: partnersOrOperators }],
}
