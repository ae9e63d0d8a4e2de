import '@atrium/ui/issue-messages'
import { tenantSlug } from '@atrium/core/tenants/slugs'
import { translations } from '@atrium/ui/messages'
import { Anchor, Button, Code, Group, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type CreateFormValues, nextSlug, suggestSlug } from './create-form.ts'

const t = translations('portal.tenants')

interface Props {
  form: UseFormReturnType<CreateFormValues>
  /** The slug that the server reported as taken, until the field changes. */
  taken: string | undefined
}

/**
 * The short name in addresses. It follows the workplace's name until it is edited, and is validated
 * while typing.
 */
export function SlugField({ form, taken }: Props) {
  const { name, slug } = form.values
  const suggested = suggestSlug(name)
  const isTaken = taken !== undefined && slug === taken
  const checked = slug === '' ? undefined : tenantSlug.safeParse(slug)
  const fault = checked?.success === false ? checked.error.issues[0]?.message : undefined
  return (
    <div>
      <TextInput
        label={t('create.slug.label')}
        description={t('create.slug.hint')}
        required
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={63}
        data-path="slug"
        value={slug}
        error={isTaken ? t('create.slug.taken', { slug }) : (fault ?? form.errors.slug)}
        onChange={(event) =>
          form.setFieldValue('slug', event.currentTarget.value.toLowerCase().replace(/\s+/g, '-'))
        }
      />
      <Group gap="sm" mt={6} mih={28}>
        {isTaken ? (
          <Button
            size="compact-sm"
            variant="light"
            onClick={() => form.setFieldValue('slug', nextSlug(slug))}
          >
            {t('create.slug.useInstead', { slug: nextSlug(slug) })}
          </Button>
        ) : (
          <Text size="sm" c="dimmed" aria-live="polite">
            {checked?.success
              ? t.rich('create.slug.preview', {
                  address: `${window.location.host}/t/${slug}`,
                  code: (chunks) => <Code>{chunks}</Code>,
                })
              : name.trim() !== '' && slug === ''
                ? t('create.slug.noLetters')
                : null}
          </Text>
        )}
        {suggested !== '' && suggested !== slug && !isTaken && (
          <Anchor
            component="button"
            type="button"
            size="sm"
            onClick={() => form.setFieldValue('slug', suggested)}
          >
            {t('create.slug.reset', { slug: suggested })}
          </Anchor>
        )}
      </Group>
    </div>
  )
}
