import { GetImport, ImportPath, ImportView, StartImport } from '@atrium/core/member-import'
import {
  AddedAlias,
  AddMemberAlias,
  ChangeMemberEmail,
  CreatedMember,
  CreateMailbox,
  CreateMember,
  ForcedLogout,
  MemberAliases,
  MemberPath,
  MemberView,
  RemoveMemberAlias,
  ResetPassword,
  TransferOwnership,
  TransferredOwnership,
  UpdatedMember,
  UpdateMember,
} from '@atrium/core/members'
import { z } from 'zod'
import { adminOrOperator, memberOrOperator } from '../guards.ts'
import { router } from '../trpc.ts'
import { addMemberAlias, listMemberAliases, removeMemberAlias } from './aliases.ts'
import { changeMemberEmail } from './change-email.ts'
import { createMember } from './create.ts'
import { forceLogout } from './force-logout.ts'
import { getImport, importsAdmins, resumeImport, startImport } from './import.ts'
import { getMember } from './list.ts'
import { createMailbox } from './mailbox.ts'
import { removeMember } from './remove.ts'
import { resetPassword } from './reset-password.ts'
import { retryMember } from './retry.ts'
import { resumeMember, suspendMember } from './suspend.ts'
import { transferOwnership } from './transfer-ownership.ts'
import { updateMember } from './update.ts'

const tags = ['members']
const users = '/tenants/{slug}/users' as const
const one = `${users}/{userId}` as const
const imports = '/tenants/{slug}/user-imports' as const

export const membersRouter = router({
  create: adminOrOperator
    .meta({
      openapi: { method: 'POST', path: users, tags, summary: 'Create a member with identity, mailbox and file account' },
      audit: 'member.created',
      creates: true,
      secretAnswer: true,
    })
    .input(CreateMember)
    .recentSignIn({ when: ({ role }) => role === 'admin', said: 'when `role` is `admin`' })
    .output(CreatedMember)
    .mutation(({ ctx, input }) => createMember(ctx, ctx.access, input)),
  get: memberOrOperator
    .meta({ openapi: { method: 'GET', path: one, tags, summary: 'Read a member' } })
    .input(MemberPath)
    .output(MemberView)
    .query(({ ctx, input }) => getMember(ctx, ctx.access, input.userId)),
  update: adminOrOperator
    .meta({
      openapi: { method: 'PATCH', path: one, tags, summary: "Change a member's role, name or contact data" },
      audit: 'member.updated',
    })
    .input(UpdateMember)
    .recentSignIn({ when: ({ role }) => role === 'admin', said: 'when `role` is `admin`' })
    .output(UpdatedMember)
    .mutation(({ ctx, input }) => updateMember(ctx, ctx.access, input)),
  changeEmail: adminOrOperator
    .recentSignIn()
    .meta({
      openapi: { method: 'PUT', path: `${one}/email`, tags, summary: "Change a member's primary address" },
      audit: 'member.email_changed',
    })
    .input(ChangeMemberEmail)
    .output(MemberView)
    .mutation(({ ctx, input }) => changeMemberEmail(ctx, ctx.access, input)),
  listAliases: memberOrOperator
    .meta({ openapi: { method: 'GET', path: `${one}/aliases`, tags, summary: "List a member's further addresses" } })
    .input(MemberPath)
    .output(MemberAliases)
    .query(({ ctx, input }) => listMemberAliases(ctx, ctx.access, input.userId)),
  addAlias: adminOrOperator
    .meta({
      openapi: { method: 'POST', path: `${one}/aliases`, tags, summary: 'Give a member a further address' },
      audit: 'member.alias_added',
      creates: true,
    })
    .input(AddMemberAlias)
    .output(AddedAlias)
    .mutation(({ ctx, input }) => addMemberAlias(ctx, ctx.access, input)),
  removeAlias: adminOrOperator
    .meta({
      openapi: { method: 'DELETE', path: `${one}/aliases/{address}`, tags, summary: 'Take a further address away' },
      audit: 'member.alias_removed',
    })
    .input(RemoveMemberAlias)
    .output(z.void())
    .mutation(({ ctx, input }) => removeMemberAlias(ctx, ctx.access, input)),
  createMailbox: adminOrOperator
    .meta({
      openapi: { method: 'POST', path: `${one}/mailbox`, tags, summary: 'Give a mailbox to a member who has none' },
      audit: 'member.mailbox_created',
      creates: true,
      secretAnswer: true,
    })
    .input(CreateMailbox)
    .output(CreatedMember)
    .mutation(({ ctx, input }) => createMailbox(ctx, ctx.access, input)),
  suspend: adminOrOperator
    .meta({
      openapi: { method: 'POST', path: `${one}/suspend`, tags, summary: 'Shut a member out, keeping everything' },
      audit: 'member.suspended',
    })
    .input(MemberPath)
    .output(MemberView)
    .mutation(({ ctx, input }) => suspendMember(ctx, ctx.access, input.userId)),
  resume: adminOrOperator
    .meta({ openapi: { method: 'POST', path: `${one}/resume`, tags, summary: 'Let a member in again' }, audit: 'member.resumed' })
    .input(MemberPath)
    .output(MemberView)
    .mutation(({ ctx, input }) => resumeMember(ctx, ctx.access, input.userId)),
  forceLogout: adminOrOperator
    .meta({
      openapi: { method: 'POST', path: `${one}/force-logout`, tags, summary: "End a member's sessions" },
      audit: 'member.sessions_ended',
    })
    .input(MemberPath)
    .output(ForcedLogout)
    .mutation(({ ctx, input }) => forceLogout(ctx, ctx.access, input.userId)),
  resetPassword: adminOrOperator
    .recentSignIn()
    .meta({
      openapi: { method: 'POST', path: `${one}/reset-password`, tags, summary: 'Set a one-time password on identity and mailbox' },
      audit: 'member.password_reset',
      secretAnswer: true,
    })
    .input(MemberPath)
    .output(ResetPassword)
    .mutation(({ ctx, input }) => resetPassword(ctx, ctx.access, input.userId)),
  remove: adminOrOperator
    .recentSignIn()
    .meta({
      openapi: { method: 'DELETE', path: one, tags, summary: 'Remove a member with mailbox, identity and file account' },
      audit: 'member.removed',
    })
    .input(MemberPath)
    .output(z.void())
    .mutation(({ ctx, input }) => removeMember(ctx, ctx.access, input.userId)),
  retry: adminOrOperator
    .meta({
      openapi: { method: 'POST', path: `${one}/retry`, tags, summary: 'Do again what an outside system left undone' },
      audit: 'member.retried',
      secretAnswer: true,
    })
    .input(MemberPath)
    .output(CreatedMember)
    .mutation(({ ctx, input }) => retryMember(ctx, ctx.access, input.userId)),
  transferOwnership: adminOrOperator
    .recentSignIn()
    .meta({
      openapi: { method: 'POST', path: '/tenants/{slug}/transfer-ownership', tags, summary: 'Make another member the owner' },
      audit: 'tenant.ownership_transferred',
    })
    .input(TransferOwnership)
    .output(TransferredOwnership)
    .mutation(({ ctx, input }) => transferOwnership(ctx, ctx.access, input.userId)),
  startImport: adminOrOperator
    .meta({
      openapi: { method: 'POST', path: imports, tags, summary: 'Create members from CSV, or judge the rows' },
      audit: 'member.imported',
    })
    .input(StartImport)
    .recentSignIn({ when: importsAdmins, said: 'when a row makes an admin and it is no dry run' })
    .output(ImportView)
    .mutation(({ ctx, input }) => startImport(ctx, ctx.access, input)),
  getImport: adminOrOperator
    .meta({ openapi: { method: 'GET', path: `${imports}/{importId}`, tags, summary: 'Follow an import' } })
    .input(GetImport)
    .output(ImportView)
    .query(({ ctx, input }) => getImport(ctx, ctx.access, input)),
  resumeImport: adminOrOperator
    .meta({
      openapi: { method: 'POST', path: `${imports}/{importId}/resume`, tags, summary: 'Go on with a stopped import' },
      audit: 'member.imported',
    })
    .input(ImportPath)
    .output(ImportView)
    .mutation(({ ctx, input }) => resumeImport(ctx, ctx.access, input.importId)),
})
