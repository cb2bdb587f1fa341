{{/* What must be chosen. Included by each template, so that nothing is rendered without it. */}}
{{- define "holdfast.check" -}}
{{- $_ := required "image.repository: where is your build of the Dockerfile? None is published." .Values.image.repository -}}
{{- $_ := required "temporal.address: HOST:PORT of your Temporal server." .Values.temporal.address -}}
{{- $_ := required "secretName: a Secret with one key for each setting in `secrets` and `keyFiles`, such as HOLDFAST_STORE." .Values.secretName -}}
{{- $_ := required "gateway.publicUrl: the address that browsers use, https://…" .Values.gateway.publicUrl -}}
{{- if and (eq .Values.approvals "attested") (not .Values.trustedKeys) -}}
{{- fail "trustedKeys: a ConfigMap with the key trusted.json (holdfast keys export): whose decisions count. Or set approvals=any: then everybody who reaches Temporal may approve." -}}
{{- end -}}
{{- range list "worker" "gateway" "codec" -}}
{{- if not (has "HOLDFAST_STORE" (index $.Values .).secrets) -}}
{{- fail (printf "%s.secrets: HOLDFAST_STORE (postgres://…) must be in it: pods share no files." .) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.codec.enabled (not .Values.encryption) -}}
{{- fail "codec.enabled: a codec server has nothing to decrypt without encryption=true." -}}
{{- end -}}
{{- $signed := false -}}
{{- range concat .Values.worker.secrets .Values.worker.keyFiles -}}
{{- if has . (list "HOLDFAST_BUNDLE_KEY" "HOLDFAST_BUNDLE_KEY_PEM" "HOLDFAST_BUNDLE_SIGNER") -}}{{- $signed = true -}}{{- end -}}
{{- end -}}
{{- if and .Values.worker.bundlesClaim (not $signed) -}}
{{- fail "worker.keyFiles: HOLDFAST_BUNDLE_KEY (holdfast keys create --bundle --out bundle.pem) must be in it, for worker.bundlesClaim: a key that a worker makes is gone with its pod." -}}
{{- end -}}
{{- $ids := dict -}}
{{- range .Values.worker.versions -}}
{{- if hasKey $ids .buildId -}}{{- fail (printf "worker.versions: buildId %s is there twice." .buildId) -}}{{- end -}}
{{- $_ := set $ids .buildId true -}}
{{- end -}}
{{- end -}}

{{- define "holdfast.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end -}}
{{- end -}}

{{/* Labels by which pods are found: (list $ "gateway"), or with the value of the label of a build as a third. */}}
{{- define "holdfast.selector" -}}
app.kubernetes.io/name: {{ (index . 0).Chart.Name }}
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- if gt (len .) 2 }}
holdfast/build: {{ index . 2 }}
{{- end }}
{{- end -}}

{{- define "holdfast.labels" -}}
{{ include "holdfast.selector" . }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* A build id may have characters that a name must not have; the hash keeps two ids apart. */}}
{{- define "holdfast.slug" -}}
{{- printf "%s-%s" (regexReplaceAll "[^a-z0-9]+" (lower .) "-" | trunc 24 | trimAll "-") (sha1sum . | trunc 6) | trimPrefix "-" -}}
{{- end -}}

{{/*
The pod of a component: (dict "root" $ "kind" "worker" "of" .Values.worker "env" {…} "tag" "…" "ports" {name: port} "probe" "health").
The pod of a job has `args`, and neither ports nor probe.
*/}}
{{- define "holdfast.pod" -}}
{{- $root := .root -}}
{{- $of := .of -}}
{{- $secrets := $of.secrets -}}
{{- if $root.Values.encryption }}{{ $secrets = append $secrets "HOLDFAST_CODEC_KEYS" }}{{ end -}}
{{- $image := printf "%s:%s" $root.Values.image.repository (.tag | default $root.Values.image.tag | default $root.Chart.AppVersion) -}}
{{- $attested := eq $root.Values.approvals "attested" -}}
{{- $env := dict
  "TEMPORAL_ADDRESS" $root.Values.temporal.address
  "TEMPORAL_NAMESPACE" $root.Values.temporal.namespace
  "HOLDFAST_TASK_QUEUE" $root.Values.taskQueue
  "HOLDFAST_APPROVALS" $root.Values.approvals
  "HOLDFAST_PUBLIC_URL" $root.Values.gateway.publicUrl
  "HOLDFAST_DRAIN_SECONDS" $of.drainSeconds
  "HOLDFAST_CACHE" "/tmp/cache" -}}
{{- if hasKey $of "bundlesClaim" }}{{ $_ := set $env "HOLDFAST_BUNDLES" (ternary "/var/lib/bundles" "off" (ne $of.bundlesClaim "")) }}{{ end -}}
{{- if $attested }}{{ $_ := set $env "HOLDFAST_TRUSTED_KEYS" "/etc/holdfast/trusted.json" }}{{ end -}}
{{- range $of.secrets }}{{ $_ := set $env (printf "%s_FILE" .) (printf "/run/secrets/holdfast/%s" .) }}{{ end -}}
{{- /* Read again while the process runs, so a new key needs no restart. */ -}}
{{- if $root.Values.encryption }}{{ $_ := set $env "HOLDFAST_CODEC_KEYS_COMMAND" "cat /run/secrets/holdfast/HOLDFAST_CODEC_KEYS" }}{{ end -}}
{{- range $of.keyFiles }}{{ $_ := set $env . (printf "/run/keys/%s" .) }}{{ end -}}
{{- /* The later one counts. Not by `merge`, to which 0, false and '' are no values. */ -}}
{{- range list .env $root.Values.settings $of.settings }}{{ range $name, $value := . }}{{ $_ := set $env $name $value }}{{ end }}{{ end -}}
metadata:
  labels:
    {{- .selector | nindent 4 }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false # its variables would look like settings
  terminationGracePeriodSeconds: {{ add $of.drainSeconds 30 }} # above HOLDFAST_DRAIN_SECONDS: a worker that is killed earlier leaves calls in doubt
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    seccompProfile: { type: RuntimeDefault }
  {{- with $root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- if .args }}
  restartPolicy: Never
  {{- else }}
  topologySpreadConstraints:
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- $.selector | nindent 10 }}
    {{- end }}
  {{- end }}
  {{- if $of.keyFiles }}
  # Key files must be readable by their owner only, and a Secret's files belong to root: they are copied, into memory.
  initContainers:
    - name: keys
      image: {{ $image }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      command:
        - node
        - -e
        - |-
          const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
          for (const name of readdirSync('/run/secrets/keys'))
            if (!name.startsWith('.')) writeFileSync('/run/keys/' + name, readFileSync('/run/secrets/keys/' + name), { mode: 0o600 });
      securityContext:
        {{- include "holdfast.container" . | nindent 8 }}
      resources:
        requests: { cpu: 50m, memory: 64Mi }
        limits: { memory: 64Mi }
      volumeMounts:
        - { name: key-secret, mountPath: /run/secrets/keys, readOnly: true }
        - { name: keys, mountPath: /run/keys }
  {{- end }}
  containers:
    - name: {{ .kind }}
      image: {{ $image }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args:
        {{- if .args }}
        {{- toYaml .args | nindent 8 }}
        {{- else }}
        - {{ .kind }}
        {{- if and $root.Values.app (ne .kind "codec") }}
        - --app
        - {{ $root.Values.app }}
        {{- end }}
        {{- end }}
      env:
        {{- range $name, $value := $env }}
        - name: {{ $name }}
          value: {{ $value | toString | quote }}
        {{- end }}
      {{- if not .args }}
      ports:
        {{- range $name, $port := .ports }}
        - name: {{ $name }}
          containerPort: {{ $port }}
        {{- end }}
      startupProbe:
        httpGet: { path: /healthz, port: {{ .probe }} }
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: { path: /healthz, port: {{ .probe }} }
        periodSeconds: 10
        timeoutSeconds: 5
      readinessProbe:
        httpGet: { path: /readyz, port: {{ .probe }} }
        periodSeconds: 5
        timeoutSeconds: 5
      {{- if eq .probe "http" }}
      lifecycle:
        preStop: # until Services have dropped the pod
          exec: { command: [node, -e, 'setTimeout(() => undefined, 5000)'] }
      {{- end }}
      {{- end }}
      resources:
        {{- toYaml $of.resources | nindent 8 }}
      securityContext:
        {{- include "holdfast.container" . | nindent 8 }}
      volumeMounts:
        - { name: home, mountPath: /var/lib/holdfast }
        - { name: tmp, mountPath: /tmp }
        - { name: secrets, mountPath: /run/secrets/holdfast, readOnly: true }
        {{- if $attested }}
        - { name: trusted-keys, mountPath: /etc/holdfast, readOnly: true }
        {{- end }}
        {{- if $of.keyFiles }}
        - { name: keys, mountPath: /run/keys, readOnly: true }
        {{- end }}
        {{- if $of.bundlesClaim }}
        - { name: bundles, mountPath: /var/lib/bundles }
        {{- end }}
  volumes:
    - name: home
      emptyDir: {}
    - name: tmp
      emptyDir: {}
    - name: secrets
      secret:
        secretName: {{ $root.Values.secretName }}
        defaultMode: 0440
        items:
          {{- range $secrets }}
          - { key: {{ . }}, path: {{ . }} }
          {{- end }}
    {{- if $attested }}
    - name: trusted-keys
      configMap:
        name: {{ $root.Values.trustedKeys }}
        items: [{ key: trusted.json, path: trusted.json }]
    {{- end }}
    {{- if $of.keyFiles }}
    - name: key-secret
      secret:
        secretName: {{ $root.Values.secretName }}
        defaultMode: 0440
        items:
          {{- range $of.keyFiles }}
          - { key: {{ . }}, path: {{ . }} }
          {{- end }}
    - name: keys
      emptyDir: { medium: Memory, sizeLimit: 1Mi }
    {{- end }}
    {{- if $of.bundlesClaim }}
    - name: bundles
      persistentVolumeClaim: { claimName: {{ $of.bundlesClaim }} }
    {{- end }}
{{- end -}}

{{- define "holdfast.container" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* A Deployment with its PodDisruptionBudget and, if it scales by CPU, its HorizontalPodAutoscaler. */}}
{{- define "holdfast.deployment" -}}
{{- $root := .root -}}
{{- $of := .of -}}
{{- $names := list $root .kind -}}
{{- /* Workers without a version have the label too: their selector would find the pods of versions, and the autoscaler would stop. */ -}}
{{- if .build }}{{ $names = append $names (include "holdfast.slug" .build) }}
{{- else if eq .kind "worker" }}{{ $names = append $names "none" }}{{ end -}}
{{- $pod := merge (dict "selector" (include "holdfast.selector" $names)) . -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .name }}
  labels:
    {{- include "holdfast.labels" $names | nindent 4 }}
spec:
  {{- if eq $of.autoscaling.by "none" }}
  replicas: {{ hasKey . "replicas" | ternary .replicas $of.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
  selector:
    matchLabels:
      {{- include "holdfast.selector" $names | nindent 6 }}
  template:
    {{- include "holdfast.pod" $pod | nindent 4 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .name }}
  labels:
    {{- include "holdfast.labels" $names | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "holdfast.selector" $names | nindent 6 }}
{{- if eq $of.autoscaling.by "cpu" }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ .name }}
  labels:
    {{- include "holdfast.labels" $names | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ .name }} }
  minReplicas: {{ $of.autoscaling.min }}
  maxReplicas: {{ $of.autoscaling.max }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ $of.autoscaling.cpuPercent }} }
{{- end }}
{{- end -}}

{{/* What people and programs reach: (dict "root" $ "kind" "gateway"). */}}
{{- define "holdfast.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "holdfast.name" .root }}-{{ .kind }}
  labels:
    {{- include "holdfast.labels" (list .root .kind) | nindent 4 }}
spec:
  selector:
    {{- include "holdfast.selector" (list .root .kind) | nindent 4 }}
  ports:
    - { name: http, port: 80, targetPort: http }
{{- end -}}
