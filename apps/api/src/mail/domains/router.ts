import {
  AddDomain,
  DomainCheckPage,
  DomainDetail,
  DomainList,
  DomainPath,
  DomainView,
  ListDomainChecks,
  ListDomains,
  SetDmarc,
} from '@atrium/core/mail/domains'
import { z } from 'zod'
import { adminOrOperator, memberOrOperator } from '../../rpc/guards.ts'
import { recentSignIn } from '../../rpc/procedure.ts'
import { router } from '../../rpc/trpc.ts'
import { addDomain } from './add.ts'
import { setDmarc } from './dmarc.ts'
import { getDomain, listDomains } from './get.ts'
import { listDomainChecks } from './history.ts'
import { makePrimaryDomain } from './primary.ts'
import { recheckDomain } from './recheck.ts'
import { removeDomain } from './remove.ts'

const tags = ['domains']
const path = '/tenants/{slug}/domains'

export const domainsRouter = router({
  list: memberOrOperator
    .meta({
      scope: 'mail:read',
      delegable: ['mail'],
      openapi: { method: 'GET', path, tags, summary: 'List the domains with their records' },
    })
    .input(ListDomains)
    .output(DomainList)
    .query(({ ctx }) => listDomains(ctx, ctx.access)),
  add: adminOrOperator
    .meta({
      scope: 'mail:write',
      delegable: ['mail'],
      openapi: { method: 'POST', path, tags, summary: 'Add a domain and learn what to publish' },
      audit: 'domain.added',
      creates: true,
      errors: [
        'limit_reached',
        'already_exists',
        'billing_limited',
        'tenant_suspended',
        'tenant_deleted',
      ],
    })
    .input(AddDomain)
    .output(DomainView)
    .mutation(({ ctx, input }) => addDomain(ctx, ctx.access, input)),
  get: memberOrOperator
    .meta({
      scope: 'mail:read',
      delegable: ['mail'],
      openapi: {
        method: 'GET',
        path: `${path}/{domain}`,
        tags,
        summary: 'Read a domain with its use',
      },
    })
    .input(DomainPath)
    .output(DomainDetail)
    .query(({ ctx, input }) => getDomain(ctx, ctx.access, input)),
  recheck: adminOrOperator
    .meta({
      scope: 'mail:write',
      delegable: ['mail'],
      openapi: {
        method: 'POST',
        path: `${path}/{domain}/recheck`,
        tags,
        summary: 'Compare live DNS with what should be there',
      },
      audit: 'domain.rechecked',
      errors: ['already_exists', 'tenant_suspended', 'tenant_deleted'],
    })
    .input(DomainPath)
    .output(DomainView)
    .mutation(({ ctx, input }) => recheckDomain(ctx, ctx.access, input)),
  setDmarc: adminOrOperator
    .meta({
      scope: 'mail:write',
      delegable: ['mail'],
      openapi: {
        method: 'PUT',
        path: `${path}/{domain}/dmarc`,
        tags,
        summary: 'Choose the DMARC policy',
      },
      audit: 'domain.dmarc_set',
      errors: ['edit_conflict', 'tenant_suspended', 'tenant_deleted'],
    })
    .input(SetDmarc)
    .output(DomainView)
    .mutation(({ ctx, input }) => setDmarc(ctx, ctx.access, input)),
  makePrimary: adminOrOperator
    .meta({
      scope: 'mail:write',
      delegable: ['mail'],
      openapi: {
        method: 'PUT',
        path: `${path}/{domain}/primary`,
        tags,
        summary: 'Make a domain the primary one',
      },
      audit: 'domain.primary_set',
      errors: ['domain_not_verified', 'tenant_suspended', 'tenant_deleted'],
    })
    .input(DomainPath)
    .output(DomainView)
    .mutation(({ ctx, input }) => makePrimaryDomain(ctx, ctx.access, input)),
  remove: adminOrOperator
    .meta({
      scope: 'mail:write',
      delegable: ['mail'],
      openapi: {
        method: 'DELETE',
        path: `${path}/{domain}`,
        tags,
        summary: 'Remove a domain that nothing uses',
      },
      audit: 'domain.removed',
      errors: [
        'tenant_suspended',
        'tenant_deleted',
        'primary_domain',
        'domain_in_use',
        'upstream_failed',
      ],
    })
    .input(DomainPath)
    .concat(recentSignIn)
    .output(z.void())
    .mutation(({ ctx, input }) => removeDomain(ctx, ctx.access, input)),
  history: memberOrOperator
    .meta({
      scope: 'mail:read',
      delegable: ['mail'],
      openapi: {
        method: 'GET',
        path: `${path}/{domain}/checks`,
        tags,
        summary: 'Read earlier checks',
      },
    })
    .input(ListDomainChecks)
    .output(DomainCheckPage)
    .query(({ ctx, input }) => listDomainChecks(ctx, ctx.access, input)),
})
