import { randomBytes } from 'node:crypto'
import {
  adminsPartnersOperators,
  everybody,
  membersOrOperators,
  operatorsOnly,
  partnersOrOperators,
  type Rows,
  readers,
  slug,
  who,
} from './rows.ts'

export const tenantsRows: Rows = {
  'tenants.create': [
    {
      input: () => ({ name: `Fresh ${randomBytes(4).toString('hex')}` }),
      expected: everybody,
    },
    {
      input: () => ({ name: 'Fresh', ownerEmail: 'owner@globex.test' }),
      expected: who(['partnerStaff', 'foreignPartnerStaff', 'operator'], 'operator_required'),
    },
    {
      input: ({ partnerId }) => ({ name: 'Fresh', partnerId }),
      expected: who(['operator'], 'operator_required'),
    },
  ],
  'tenants.list': [{ input: () => ({ limit: 1 }), expected: everybody }],
  'tenants.get': [{ input: slug, expected: who(readers, 'not_found') }],
  'tenants.update': [
    { input: (world) => ({ ...slug(world), name: 'Renamed' }), expected: adminsPartnersOperators },
    {
      input: (world) => ({ ...slug(world), plan: 'business' }),
      expected: who(['partnerStaff', 'operator'], 'not_found', {
        member: 'not_admin',
        admin: 'operator_required',
        owner: 'operator_required',
      }),
    },
    {
      input: (world) => ({ ...slug(world), partnerId: null }),
      expected: who(['operator'], 'not_found', {
        member: 'not_admin',
        admin: 'operator_required',
        owner: 'operator_required',
        partnerStaff: 'operator_required',
      }),
    },
    {
      input: (world) => ({
        ...slug(world),
        domains: [`${world.slug}.tenants.local`, `${world.slug}.test`],
      }),
      expected: who(['admin', 'owner', 'operator'], 'not_found', {
        member: 'not_admin',
        partnerStaff: 'not_admin',
      }),
    },
  ],
  'tenants.delete': [
    {
      input: slug,
      expected: who(['owner', 'operator'], 'not_found', {
        member: 'not_owner',
        admin: 'not_owner',
        partnerStaff: 'not_owner',
      }),
    },
    {
      input: (world) => ({ ...slug(world), releaseDomains: true }),
      expected: who(['owner', 'operator'], 'not_found', {
        member: 'not_owner',
        admin: 'not_owner',
        partnerStaff: 'not_owner',
      }),
    },
  ],
  'tenants.reconcile': [{ input: slug, expected: adminsPartnersOperators }],
  'tenants.suspend': [{ input: slug, expected: partnersOrOperators }],
  'tenants.resume': [
    {
      input: slug,
      expected: {
        ...partnersOrOperators,
        partnerStaff: 'not_suspended',
        operator: 'not_suspended',
      },
    },
  ],
  'tenants.restore': [{ input: slug, expected: { ...operatorsOnly, operator: 'not_deleted' } }],
  'tenants.purge': [
    {
      input: (world) => ({ ...slug(world), confirm: world.slug }),
      expected: { ...operatorsOnly, operator: 'not_deleted' },
    },
  ],
  'tenants.limits': [{ input: slug, expected: adminsPartnersOperators }],
  'tenants.setLimits': [
    {
      input: (world) => ({ ...slug(world), limits: [{ name: 'members_day', most: 4_000 }] }),
      expected: operatorsOnly,
    },
  ],
  'tenants.users': [{ input: slug, expected: membersOrOperators }],
  'tenants.audit': [{ input: slug, expected: membersOrOperators }],
  'tenants.events': [{ input: slug, expected: membersOrOperators }],
}
