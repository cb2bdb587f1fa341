/** The HTTP API, generated from its OpenAPI document by scripts/generate-http-client.mjs: not to be edited. */
export interface paths {
  '/healthz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whether this process is alive
     * @description Takes no token.
     */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        /** @description It answers. */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /**
             * @example {
             *       "alive": true,
             *       "pid": 4242
             *     }
             */
            'application/json': {
              /** @enum {unknown} */
              alive: true;
              pid: number;
            };
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/readyz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whether this process should be given requests
     * @description Takes no token.
     */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        /** @description It should. */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /**
             * @example {
             *       "ready": true,
             *       "checks": [
             *         {
             *           "check": "temporal",
             *           "ok": true
             *         }
             *       ]
             *     }
             */
            'application/json': {
              /** @enum {unknown} */
              ready: true;
              checks: {
                check: string;
                ok: boolean;
              }[];
            };
          };
        };
        /** @description It should not: it is ending, or Temporal or the store do not answer, or no worker has polled yet. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /**
             * @example {
             *       "ready": false,
             *       "checks": [
             *         {
             *           "check": "temporal",
             *           "ok": false
             *         }
             *       ]
             *     }
             */
            'application/json': {
              /** @enum {unknown} */
              ready: false;
              checks: {
                check: string;
                ok: boolean;
              }[];
            };
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/metrics': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Metrics of this process, for Prometheus
     * @description Roles: auditor, admin.
     */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        /** @description In the text format of Prometheus. */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /** @example holdfast_http_requests_total{status="200"} 1 */
            'text/plain': string;
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/turns': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List turns and direct calls
     * @description Newest first. A new turn appears here some moments after its start. A page may hold fewer than `limit`; the last one has no `next_cursor`. Roles: starter, approver, auditor, admin.
     */
    get: {
      parameters: {
        query?: {
          state?: 'running' | 'awaiting_approval' | 'in_doubt' | 'completed' | 'refused' | 'cancelled' | 'failed' | 'limit';
          agent?: string;
          /** @description `next_cursor` of the page before, for the same filter. */
          cursor?: string;
          limit?: number;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        /** @description One page. */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /**
             * @example {
             *       "turns": [
             *         {
             *           "turn_id": "inv-7",
             *           "workflow_id": "turn/inv-7",
             *           "agent": "payables",
             *           "state": "awaiting_approval",
             *           "requester": "acme/rita",
             *           "started_at": "2026-01-31T10:00:00.000Z",
             *           "ended_at": null,
             *           "ui_url": null,
             *           "key": null
             *         }
             *       ],
             *       "next_cursor": null
             *     }
             */
            'application/json': {
              turns: {
                turn_id: string;
                workflow_id: string;
                agent: string;
                state: string;
                requester: string;
                started_at: string;
                ended_at: string | null;
                ui_url: string | null;
                /** @description The idempotency key that its id is a hash of. */
                key: string | null;
              }[];
              next_cursor: string | null;
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    put?: never;
    /**
     * Start a turn
     * @description Answers at once; the turn goes on by itself. With `Idempotency-Key` the same request again gives the same turn, for as long as Temporal retains it. Roles: starter, admin.
     */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** @description 1 to 255 visible ASCII characters: the same key, the same operation. */
          'idempotency-key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          /**
           * @example {
           *       "agent": "credit-analyst",
           *       "message": "Prepare a credit memo for AAPL."
           *     }
           */
          'application/json': {
            /** @description One that the workers serve. */
            agent: string;
            message: string;
            /** @description A session of yours that is open: the message waits there for its turn, after those before it, as with /v1/sessions/{id}/messages. */
            session_id?: string;
            /** @description Told of each question of its turn and of the end, signed. Its host must be one of HOLDFAST_CALLBACK_HOSTS. */
            callback_url?: string;
          };
        };
      };
      responses: {
        /** @description It is started. */
        202: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /**
             * @example {
             *       "turn_id": "k_0f4c7b0b2d3e5a6978c1d2e3f4a5b6c7d8e9f0a1",
             *       "workflow_id": "turn/k_0f4c7b0b2d3e5a6978c1d2e3f4a5b6c7d8e9f0a1",
             *       "ui_url": null,
             *       "events_url": "/v1/turns/k_0f4c7b0b2d3e5a6978c1d2e3f4a5b6c7d8e9f0a1/events"
             *     }
             */
            'application/json': {
              turn_id: string;
              workflow_id: string;
              /** @description In the Temporal Web UI. */
              ui_url: string | null;
              /** @description Relative: the stream of its events. */
              events_url: string;
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It cannot be done as things stand; `error.message` says why. */
        409: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/turns/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Show a turn
     * @description Roles: starter, approver, auditor, admin.
     */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** @description The id of a turn; of a direct call `call/…`, its slash as `%2F`. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        /** @description How it stands. */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /**
             * @example {
             *       "turn_id": "inv-7",
             *       "workflow_id": "turn/inv-7",
             *       "agent": "payables",
             *       "state": "awaiting_approval",
             *       "requester": "acme/rita",
             *       "started_at": "2026-01-31T10:00:00.000Z",
             *       "ended_at": null,
             *       "ui_url": null,
             *       "key": null,
             *       "run_id": "01a2000c-0aae-70b7-b0c2-20cc1c823952",
             *       "session_id": null,
             *       "trace_id": "trace_20260131_0a1b2c3d4e5f",
             *       "head": "1f2c4e0b7a6d5c4b3a291807f6e5d4c3b2a19087f6e5d4c3b2a1908f7e6d5c4b",
             *       "step": 1,
             *       "text": "",
             *       "reason": null,
             *       "usage": {
             *         "input_tokens": 1200,
             *         "output_tokens": 80,
             *         "cache_read_tokens": 0,
             *         "cost_usd": 0.0048
             *       },
             *       "calls": [
             *         {
             *           "id": "1.1",
             *           "revision": 1,
             *           "tool": "pay_invoice",
             *           "version": "1.0.0",
             *           "class": "destructive",
             *           "digest": "9f2c4e0b7a6d5c4b3a291807f6e5d4c3b2a19087f6e5d4c3b2a1908f7e6d5c4b",
             *           "state": "waiting",
             *           "idempotency_key": null,
             *           "approval": {
             *             "required": true,
             *             "by": [],
             *             "decision": null,
             *             "note": null,
             *             "expires_at": "2026-02-01T10:00:00.000Z"
             *           },
             *           "effect": null,
             *           "attempts": 0,
             *           "error": null,
             *           "result_summary": null,
             *           "result_ref": null
             *         }
             *       ],
             *       "pending": [
             *         "9f2c4e0b7a6d5c4b3a291807f6e5d4c3b2a19087f6e5d4c3b2a1908f7e6d5c4b"
             *       ],
             *       "ignored_signals": {
             *         "count": 0,
             *         "last": []
             *       }
             *     }
             */
            'application/json': {
              turn_id: string;
              workflow_id: string;
              run_id: string;
              agent: string;
              session_id: string | null;
              requester: string;
              trace_id: string;
              /** @enum {unknown} */
              state: 'running' | 'awaiting_approval' | 'in_doubt' | 'completed' | 'refused' | 'cancelled' | 'failed' | 'limit';
              head: string | null;
              step: number;
              text: string;
              reason: string | null;
              usage: {
                input_tokens: number;
                output_tokens: number;
                cache_read_tokens: number;
                cost_usd: number;
              };
              calls: {
                /** @description `<step>.<index>` */
                id: string;
                revision: number;
                tool: string;
                version: string;
                class: string;
                /** @description 64 hex; null for a call that failed admission */
                digest: string | null;
                /** @enum {unknown} */
                state:
                  | 'proposed'
                  | 'rejected'
                  | 'ready'
                  | 'waiting'
                  | 'approved'
                  | 'denied'
                  | 'expired'
                  | 'superseded'
                  | 'cancelled'
                  | 'running'
                  | 'succeeded'
                  | 'failed'
                  | 'in_doubt';
                idempotency_key: string | null;
                approval: {
                  required: boolean;
                  by: string[];
                  decision: string | null;
                  note: string | null;
                  expires_at: string | null;
                };
                /** @description `applied`, `not_applied`, `refused`, `in_doubt`; null for harmless classes */
                effect: string | null;
                attempts: number;
                error: Record<string, never> | null;
                result_summary: string | null;
                result_ref: string | null;
              }[];
              /** @description Digests of the calls that wait. */
              pending: string[];
              ignored_signals: {
                count: number;
                last: Record<string, never>[];
              };
              started_at: string;
              ended_at: string | null;
              ui_url: string | null;
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It cannot be done as things stand; `error.message` says why. */
        409: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/turns/{id}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Cancel a turn
     * @description Running tools first, then the turn; it answers before both have ended. Roles: starter, admin.
     */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** @description 1 to 255 visible ASCII characters: the same key, the same operation. */
          'idempotency-key'?: string;
        };
        path: {
          /** @description The id of a turn; of a direct call `call/…`, its slash as `%2F`. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        /** @description It is asked to stop. */
        202: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /**
             * @example {
             *       "accepted": true
             *     }
             */
            'application/json': {
              /** @enum {unknown} */
              accepted: true;
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It cannot be done as things stand; `error.message` says why. */
        409: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/turns/{id}/steer': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Say something to the model of a running turn
     * @description It is read before the next step. Whoever says it has a hand in what follows, and under four eyes does not approve it. Roles: starter, admin.
     */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** @description 1 to 255 visible ASCII characters: the same key, the same operation. */
          'idempotency-key'?: string;
        };
        path: {
          /** @description The id of a turn; of a direct call `call/…`, its slash as `%2F`. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          /**
           * @example {
           *       "text": "Leave out the peers."
           *     }
           */
          'application/json': {
            text: string;
          };
        };
      };
      responses: {
        /** @description It is taken. */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              accepted: true;
              by: string;
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It cannot be done as things stand; `error.message` says why. */
        409: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/turns/{id}/bundle': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The audit bundle of a turn, or of a direct call
     * @description JSON Lines, as docs/bundle-format.md says. The last line is the signature: an answer that was cut short has none. Of what runs still it is as far as that has come, and says so. Roles: auditor, admin.
     */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** @description The id of a turn; of a direct call `call/…`, its slash as `%2F`. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        /** @description The bundle. */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /** @example {"body":{"v":"holdfast.bundle/3"},"kind":"bundle","n":0,"prev":null} */
            'application/jsonl': string;
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It cannot be done as things stand; `error.message` says why. */
        409: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/sessions/{id}/bundle': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The audit bundle of a session
     * @description JSON Lines, as docs/bundle-format.md says. The last line is the signature: an answer that was cut short has none. Of what runs still it is as far as that has come, and says so. Roles: auditor, admin.
     */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** @description The id of a session. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        /** @description The bundle. */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /** @example {"body":{"v":"holdfast.bundle/3"},"kind":"bundle","n":0,"prev":null} */
            'application/jsonl': string;
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It cannot be done as things stand; `error.message` says why. */
        409: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/sessions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List sessions
     * @description Roles: starter, approver, auditor, admin.
     */
    get: {
      parameters: {
        query?: {
          /** @description One that the workers serve. */
          agent?: string;
          limit?: number;
        };
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        /** @description Newest first. */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /**
             * @example {
             *       "sessions": [
             *         {
             *           "session_id": "aapl-review",
             *           "workflow_id": "session/aapl-review",
             *           "agent": "credit-analyst",
             *           "requester": "acme/backend",
             *           "title": null,
             *           "state": "open",
             *           "started_at": "2026-01-31T09:00:00.000Z",
             *           "ended_at": null,
             *           "ui_url": null
             *         }
             *       ]
             *     }
             */
            'application/json': {
              sessions: {
                session_id: string;
                workflow_id: string;
                agent: string;
                requester: string;
                title: string | null;
                /** @enum {unknown} */
                state: 'open' | 'closed';
                started_at: string;
                ended_at: string | null;
                ui_url: string | null;
              }[];
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    put?: never;
    /**
     * Open a session
     * @description With `Idempotency-Key` the same request again gives the same session. Roles: starter, admin.
     */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** @description 1 to 255 visible ASCII characters: the same key, the same operation. */
          'idempotency-key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          /**
           * @example {
           *       "agent": "credit-analyst",
           *       "message": "What did AAPL earn last year?"
           *     }
           */
          'application/json': {
            /** @description One that the workers serve. */
            agent: string;
            title?: string;
            /** @description Said at once. */
            message?: string;
          };
        };
      };
      responses: {
        /** @description It is open. */
        201: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              session_id: string;
              workflow_id: string;
              agent: string;
              requester: string;
              title: string | null;
              /** @enum {unknown} */
              state: 'open' | 'closing' | 'closed';
              /** @description The last block of its transcript. */
              head: string | null;
              /** @description The turn that runs now. */
              running: Record<string, never> | null;
              /** @description The last turn did not come to its end: nothing runs until somebody says something. */
              held: Record<string, never> | null;
              /** @description Turns that wait, in order. */
              queue: {
                turn_id: string;
              }[];
              /** @description How many have ended. */
              turns: number;
              last: {
                turn_id: string;
                /** @enum {unknown} */
                state: 'running' | 'awaiting_approval' | 'in_doubt' | 'completed' | 'refused' | 'cancelled' | 'failed' | 'limit';
              }[];
              usage: Record<string, never>;
              /** @description Of all that was sent to the model: which part its prompt cache had, 0 to 1. */
              cached_share: number | null;
              forked_from: Record<string, never> | null;
              started_at: string;
              ended_at: string | null;
              ui_url: string | null;
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It cannot be done as things stand; `error.message` says why. */
        409: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/sessions/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Show a session
     * @description Roles: starter, approver, auditor, admin.
     */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          /** @description The id of a session. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        /** @description How it stands. */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /**
             * @example {
             *       "session_id": "aapl-review",
             *       "workflow_id": "session/aapl-review",
             *       "agent": "credit-analyst",
             *       "requester": "acme/backend",
             *       "title": null,
             *       "state": "open",
             *       "started_at": "2026-01-31T09:00:00.000Z",
             *       "ended_at": null,
             *       "ui_url": null,
             *       "run_id": "01a2000c-0aae-70b7-b0c2-20cc1c823952",
             *       "head": "1f2c4e0b7a6d5c4b3a291807f6e5d4c3b2a19087f6e5d4c3b2a1908f7e6d5c4b",
             *       "running": null,
             *       "held": null,
             *       "queue": [],
             *       "turns": 1,
             *       "last": [
             *         {
             *           "turn_id": "aapl-review.1",
             *           "state": "completed"
             *         }
             *       ],
             *       "usage": {
             *         "input_tokens": 1200,
             *         "output_tokens": 80,
             *         "cache_read_tokens": 900,
             *         "cache_creation_tokens": 300,
             *         "cost_usd": 0.0048
             *       },
             *       "cached_share": 0.75,
             *       "forked_from": null
             *     }
             */
            'application/json': {
              session_id: string;
              workflow_id: string;
              agent: string;
              requester: string;
              title: string | null;
              /** @enum {unknown} */
              state: 'open' | 'closing' | 'closed';
              /** @description The last block of its transcript. */
              head: string | null;
              /** @description The turn that runs now. */
              running: Record<string, never> | null;
              /** @description The last turn did not come to its end: nothing runs until somebody says something. */
              held: Record<string, never> | null;
              /** @description Turns that wait, in order. */
              queue: {
                turn_id: string;
              }[];
              /** @description How many have ended. */
              turns: number;
              last: {
                turn_id: string;
                /** @enum {unknown} */
                state: 'running' | 'awaiting_approval' | 'in_doubt' | 'completed' | 'refused' | 'cancelled' | 'failed' | 'limit';
              }[];
              usage: Record<string, never>;
              /** @description Of all that was sent to the model: which part its prompt cache had, 0 to 1. */
              cached_share: number | null;
              forked_from: Record<string, never> | null;
              started_at: string;
              ended_at: string | null;
              ui_url: string | null;
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/sessions/{id}/messages': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Say something
     * @description A turn of its own, after those that wait. With `Idempotency-Key` the same message again gives the same turn. Roles: starter, admin.
     */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** @description 1 to 255 visible ASCII characters: the same key, the same operation. */
          'idempotency-key'?: string;
        };
        path: {
          /** @description The id of a session. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          /**
           * @example {
           *       "message": "And the year before?"
           *     }
           */
          'application/json': {
            message: string;
            /** @description Told of each question of its turn and of the end, signed. Its host must be one of HOLDFAST_CALLBACK_HOSTS. */
            callback_url?: string;
            /**
             * @description Goes before what waits, after a turn that did not come to its end.
             * @enum {unknown}
             */
            resume?: true;
          };
        };
      };
      responses: {
        /** @description It is taken; its turn begins when those before it have ended. */
        202: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              session_id: string;
              turn_id: string;
              /** @description Turns that end before it begins. */
              ahead: number;
              /** @description Relative: the stream of its events. It is there once the turn has begun. */
              events_url: string;
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It cannot be done as things stand; `error.message` says why. */
        409: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/sessions/{id}/steer': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Say something to the model of the running turn
     * @description Roles: starter, admin.
     */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** @description 1 to 255 visible ASCII characters: the same key, the same operation. */
          'idempotency-key'?: string;
        };
        path: {
          /** @description The id of a session. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          /**
           * @example {
           *       "text": "In euros, please."
           *     }
           */
          'application/json': {
            text: string;
          };
        };
      };
      responses: {
        /** @description Accepted. */
        202: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              turn_id: string;
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It cannot be done as things stand; `error.message` says why. */
        409: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/sessions/{id}/interrupt': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Interrupt the running turn
     * @description It ends before its next step, and the conversation can go on. What waits is held. Roles: starter, admin.
     */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** @description 1 to 255 visible ASCII characters: the same key, the same operation. */
          'idempotency-key'?: string;
        };
        path: {
          /** @description The id of a session. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        /** @description It counts. */
        202: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /**
             * @example {
             *       "accepted": true
             *     }
             */
            'application/json': {
              /** @enum {unknown} */
              accepted: true;
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It cannot be done as things stand; `error.message` says why. */
        409: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/sessions/{id}/rename': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rename a session
     * @description Roles: starter, admin.
     */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** @description 1 to 255 visible ASCII characters: the same key, the same operation. */
          'idempotency-key'?: string;
        };
        path: {
          /** @description The id of a session. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          /**
           * @example {
           *       "title": "AAPL"
           *     }
           */
          'application/json': {
            title: string;
          };
        };
      };
      responses: {
        /** @description It counts. */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /**
             * @example {
             *       "accepted": true
             *     }
             */
            'application/json': {
              /** @enum {unknown} */
              accepted: true;
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It cannot be done as things stand; `error.message` says why. */
        409: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/sessions/{id}/close': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Close a session
     * @description What was taken is run; nothing more is. Roles: starter, admin.
     */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** @description 1 to 255 visible ASCII characters: the same key, the same operation. */
          'idempotency-key'?: string;
        };
        path: {
          /** @description The id of a session. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        /** @description It counts. */
        202: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /**
             * @example {
             *       "accepted": true
             *     }
             */
            'application/json': {
              /** @enum {unknown} */
              accepted: true;
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It cannot be done as things stand; `error.message` says why. */
        409: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/forks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Fork a conversation
     * @description A new session that goes on after a block of a turn that you may see. Roles: starter, admin.
     */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** @description 1 to 255 visible ASCII characters: the same key, the same operation. */
          'idempotency-key'?: string;
        };
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          /**
           * @example {
           *       "from": "5f2c7d0e9b1a4c3d8e6f7a0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d"
           *     }
           */
          'application/json': {
            /** @description The last block that it has. */
            from: string;
            /** @description One that the workers serve. */
            agent?: string;
            title?: string;
          };
        };
      };
      responses: {
        /** @description It is open. */
        201: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              session_id: string;
              workflow_id: string;
              agent: string;
              requester: string;
              title: string | null;
              /** @enum {unknown} */
              state: 'open' | 'closing' | 'closed';
              /** @description The last block of its transcript. */
              head: string | null;
              /** @description The turn that runs now. */
              running: Record<string, never> | null;
              /** @description The last turn did not come to its end: nothing runs until somebody says something. */
              held: Record<string, never> | null;
              /** @description Turns that wait, in order. */
              queue: {
                turn_id: string;
              }[];
              /** @description How many have ended. */
              turns: number;
              last: {
                turn_id: string;
                /** @enum {unknown} */
                state: 'running' | 'awaiting_approval' | 'in_doubt' | 'completed' | 'refused' | 'cancelled' | 'failed' | 'limit';
              }[];
              usage: Record<string, never>;
              /** @description Of all that was sent to the model: which part its prompt cache had, 0 to 1. */
              cached_share: number | null;
              forked_from: Record<string, never> | null;
              started_at: string;
              ended_at: string | null;
              ui_url: string | null;
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It cannot be done as things stand; `error.message` says why. */
        409: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/turns/{id}/decisions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Approve, deny or settle calls that wait
     * @description Signed by the gateway in the name of the principal whose token it is. Roles: approver.
     */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** @description 1 to 255 visible ASCII characters: the same key, the same operation. */
          'idempotency-key'?: string;
        };
        path: {
          /** @description The id of a turn; of a direct call `call/…`, its slash as `%2F`. */
          id: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          /**
           * @example {
           *       "decision": "approve",
           *       "call": "3f0a9c1d2b4e",
           *       "note": "Checked against the purchase order."
           *     }
           */
          'application/json': {
            /** @enum {unknown} */
            decision: 'approve' | 'deny' | 'settle';
            /** @description The first 12 or more hex characters of the digest of a call that waits. */
            call?: string;
            /** @description Instead of `call`: all of them, or none. */
            calls?: string[];
            /**
             * @description With `settle`.
             * @enum {unknown}
             */
            outcome?: 'applied' | 'not_applied';
            /** @description With `approve`: the whole input that the call should have instead; it is asked about anew. */
            input?: Record<string, never>;
            /** @description Of a denial the model reads it. */
            note?: string;
            /** @description The name of the principal whose token it is, or left out. */
            by?: string;
          };
        };
      };
      responses: {
        /** @description The decision counts. */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              accepted: true;
              by: string;
              /** @description The whole digests. */
              calls: string[];
              /** @description How these calls stand after it: of two approvals that are needed, how many there are. Empty where no worker says it in 2 s. */
              now: {
                digest: string;
                /** @enum {unknown} */
                state:
                  | 'proposed'
                  | 'rejected'
                  | 'ready'
                  | 'waiting'
                  | 'approved'
                  | 'denied'
                  | 'expired'
                  | 'superseded'
                  | 'cancelled'
                  | 'running'
                  | 'succeeded'
                  | 'failed'
                  | 'in_doubt';
                approvals: number;
                quorum: number;
              }[];
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It cannot be done as things stand; `error.message` says why. */
        409: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/pending': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What waits for a person
     * @description Turns and direct calls in which a call waits for approval, or is in doubt. Their workers tell the calls; where none answers for five seconds, `unreachable` says why, and the rest is what Temporal knows. Roles: approver, auditor, admin.
     */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        /** @description Default Response */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /**
             * @example {
             *       "turns": [
             *         {
             *           "turn_id": "inv-7",
             *           "workflow_id": "turn/inv-7",
             *           "agent": "payables",
             *           "state": "awaiting_approval",
             *           "requester": "acme/rita",
             *           "started_at": "2026-01-31T10:00:00.000Z",
             *           "ended_at": null,
             *           "ui_url": null,
             *           "key": null,
             *           "tools": [
             *             "pay_invoice"
             *           ],
             *           "calls": [
             *             {
             *               "id": "1.1",
             *               "revision": 1,
             *               "tool": "pay_invoice",
             *               "version": "1.0.0",
             *               "class": "destructive",
             *               "digest": "9f2c4e0b7a6d5c4b3a291807f6e5d4c3b2a19087f6e5d4c3b2a1908f7e6d5c4b",
             *               "state": "waiting",
             *               "idempotency_key": null,
             *               "approval": {
             *                 "required": true,
             *                 "by": [],
             *                 "decision": null,
             *                 "note": null,
             *                 "expires_at": "2026-02-01T10:00:00.000Z"
             *               },
             *               "effect": null,
             *               "attempts": 0,
             *               "error": null,
             *               "result_summary": null,
             *               "result_ref": null,
             *               "card": "## Waiting for approval: `pay_invoice`\n…"
             *             }
             *           ],
             *           "unreachable": null
             *         }
             *       ]
             *     }
             */
            'application/json': {
              turns: {
                turn_id: string;
                workflow_id: string;
                agent: string;
                state: string;
                requester: string;
                started_at: string;
                ended_at: string | null;
                ui_url: string | null;
                /** @description The idempotency key that its id is a hash of. */
                key: string | null;
                /** @description Those that wait, by name: known although no worker answers. */
                tools: string[];
                calls: {
                  /** @description `<step>.<index>` */
                  id: string;
                  revision: number;
                  tool: string;
                  version: string;
                  class: string;
                  /** @description 64 hex; null for a call that failed admission */
                  digest: string | null;
                  /** @enum {unknown} */
                  state:
                    | 'proposed'
                    | 'rejected'
                    | 'ready'
                    | 'waiting'
                    | 'approved'
                    | 'denied'
                    | 'expired'
                    | 'superseded'
                    | 'cancelled'
                    | 'running'
                    | 'succeeded'
                    | 'failed'
                    | 'in_doubt';
                  idempotency_key: string | null;
                  approval: {
                    required: boolean;
                    by: string[];
                    decision: string | null;
                    note: string | null;
                    expires_at: string | null;
                  };
                  /** @description `applied`, `not_applied`, `refused`, `in_doubt`; null for harmless classes */
                  effect: string | null;
                  attempts: number;
                  error: Record<string, never> | null;
                  result_summary: string | null;
                  result_ref: string | null;
                  /** @description What would happen, in Markdown: to be shown to whoever decides. */
                  card: string;
                }[];
                /** @description Why `calls` is empty, or lacks some: they could not be asked for, or their cards could not be read. */
                unreachable: string | null;
              }[];
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/tools': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the tools
     * @description Roles: starter, approver, auditor, admin.
     */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        /** @description Every tool and version. */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /**
             * @example {
             *       "tools": [
             *         {
             *           "name": "calculate",
             *           "version": "1.0.0",
             *           "class": "compute",
             *           "description": "Works out an expression.",
             *           "parameters": {
             *             "type": "object",
             *             "properties": {
             *               "expression": {
             *                 "type": "string"
             *               }
             *             },
             *             "required": [
             *               "expression"
             *             ]
             *           },
             *           "agents": [
             *             "credit-analyst"
             *           ]
             *         }
             *       ]
             *     }
             */
            'application/json': {
              tools: {
                name: string;
                version: string;
                class: string;
                /** @description What a model reads. */
                description: string;
                /** @description JSON Schema of its input. */
                parameters: Record<string, never>;
                agents: string[];
              }[];
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/tools/{toolName}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Show a tool
     * @description Roles: starter, approver, auditor, admin.
     */
    get: {
      parameters: {
        query?: never;
        header?: never;
        path: {
          toolName: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        /** @description Its versions. */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /**
             * @example {
             *       "versions": [
             *         {
             *           "name": "calculate",
             *           "version": "1.0.0",
             *           "class": "compute",
             *           "description": "Works out an expression.",
             *           "parameters": {
             *             "type": "object",
             *             "properties": {
             *               "expression": {
             *                 "type": "string"
             *               }
             *             },
             *             "required": [
             *               "expression"
             *             ]
             *           },
             *           "agents": [
             *             "credit-analyst"
             *           ]
             *         }
             *       ]
             *     }
             */
            'application/json': {
              versions: {
                name: string;
                version: string;
                class: string;
                /** @description What a model reads. */
                description: string;
                /** @description JSON Schema of its input. */
                parameters: Record<string, never>;
                agents: string[];
              }[];
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    put?: never;
    /**
     * Call a tool
     * @description Durably, through admission, approval and the record. Answers its envelope, with the status of its error code; or 202 once it waits for a person, or takes longer than 25 s. With `Accept: text/event-stream` a call that runs for longer than a second is answered by its events. With `Idempotency-Key` it happens once. Roles: starter, admin.
     */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** @description 1 to 255 visible ASCII characters: the same key, the same operation. */
          'idempotency-key'?: string;
        };
        path: {
          toolName: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          /**
           * @example {
           *       "input": {
           *         "expression": "2 + 2"
           *       },
           *       "agent": "credit-analyst"
           *     }
           */
          'application/json': {
            /** @description As the tool’s `parameters` say. */
            input: Record<string, never>;
            /** @description Whose rules apply; needed when several agents have the tool. */
            agent?: string;
            options?: {
              /** @description false: a cached result is neither read nor written. */
              enable_cache?: boolean;
              /** @description false: no progress while it runs. */
              enable_streaming?: boolean;
              /** @description false: one attempt. */
              enable_retry?: boolean;
              /** @description true: `debug_info`, where the worker allows it. */
              debug?: boolean;
            };
          };
        };
      };
      responses: {
        /** @description It succeeded; or the stream of its events, for those who accept one. */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              success: boolean;
              /** @enum {unknown} */
              status: 'success' | 'error';
              /** @description What the tool gave. */
              data?: unknown;
              error?: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: Record<string, never>;
            };
            /**
             * @example event: tool_result
             *     id: once_1a:1-11-0
             *     data: {…}
             */
            'text/event-stream': string;
          };
        };
        /** @description It goes on: it waits for a person, or takes longer. GET its view; its events are resumed by GET. */
        202: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              call_id: string;
              state: string;
              /** @description Digests that wait for a person. */
              pending: string[];
              view_url: string;
              events_url: string;
              /** @description Where an approver posts a decision. */
              decisions_url: string;
              /** @description Where a person approves in the Temporal Web UI. */
              ui_url: string | null;
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It cannot be done as things stand; `error.message` says why. */
        409: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The tool is no more. */
        410: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              success: boolean;
              /** @enum {unknown} */
              status: 'success' | 'error';
              /** @description What the tool gave. */
              data?: unknown;
              error?: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: Record<string, never>;
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It took too long. */
        504: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              success: boolean;
              /** @enum {unknown} */
              status: 'success' | 'error';
              /** @description What the tool gave. */
              data?: unknown;
              error?: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: Record<string, never>;
            };
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/turns/{id}/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Follow a turn
     * @description Server-sent events. Those with an id come from the workflow’s history: with `Last-Event-ID` the stream goes on after it, at any gateway, also after the end. Those without (`text_delta`, `tool_progress`, `tool_retrying`) say `durable: false` and are not told again. Of a turn that waits in its session the stream begins with the turn. 204: it has ended, and all has been told. Roles: starter, approver, auditor, admin.
     */
    get: {
      parameters: {
        query?: {
          /** @description As `Last-Event-ID`, which wins over it. */
          after?: string;
        };
        header?: {
          /** @description Id of the last event that the reader has; an EventSource sends it by itself. */
          'last-event-id'?: string;
        };
        path: {
          /** @description The id of a turn; of a direct call `call/…`, its slash as `%2F`. */
          id: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        /** @description The stream. */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /**
             * @example event: step_started
             *     id: 1-5-0
             *     data: {"seq":2,"durable":true,"type":"step_started","step":1,"at":"2026-11-21T09:30:00.000Z"}
             */
            'text/event-stream': string;
          };
        };
        /** @description It has ended, and all has been told. */
        204: {
          headers: {
            [name: string]: unknown;
          };
          content?: never;
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/tools/{toolName}/sse': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Call a tool, or follow a call
     * @description Server-sent events `tool_progress`, `tool_retrying`, `tool_result`, `tool_error`. The query is the input; or `input` is, as JSON. Starts tools of class `compute` and `read` only; with `call` it tells the events of a call that POST has started. `Last-Event-ID` names call and position: a reader that comes back starts nothing. Roles: starter, approver, auditor, admin.
     */
    get: {
      parameters: {
        query?: {
          /** @description A call to follow: nothing is started. */
          call?: string;
          /** @description The whole input as JSON, instead of a parameter for each field. */
          input?: string;
          /** @description Whose rules apply. */
          agent?: string;
        };
        header?: {
          /** @description Id of the last event that the reader has; an EventSource sends it by itself. */
          'last-event-id'?: string;
        };
        path: {
          toolName: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        /** @description The stream. */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /**
             * @example event: tool_progress
             *     id: once_1a:1-5-0.1
             *     data: {"progress":45,"message":"reading","durable":false,"metadata":{"tool_name":"get_quote","timestamp":"2026-11-21T09:30:00.000Z","trace_id":"trace_20261121_0123456789ab"}}
             */
            'text/event-stream': string;
          };
        };
        /** @description It has ended, and all has been told. */
        204: {
          headers: {
            [name: string]: unknown;
          };
          content?: never;
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        405: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    put?: never;
    /**
     * Start a tool call to be followed
     * @description Answers at once; its events are told by GET. With `Idempotency-Key` it happens once. Roles: starter, admin.
     */
    post: {
      parameters: {
        query?: never;
        header?: {
          /** @description 1 to 255 visible ASCII characters: the same key, the same operation. */
          'idempotency-key'?: string;
        };
        path: {
          toolName: string;
        };
        cookie?: never;
      };
      requestBody: {
        content: {
          /**
           * @example {
           *       "input": {
           *         "expression": "2 + 2"
           *       },
           *       "agent": "credit-analyst"
           *     }
           */
          'application/json': {
            /** @description As the tool’s `parameters` say. */
            input: Record<string, never>;
            /** @description Whose rules apply; needed when several agents have the tool. */
            agent?: string;
            options?: {
              /** @description false: a cached result is neither read nor written. */
              enable_cache?: boolean;
              /** @description false: no progress while it runs. */
              enable_streaming?: boolean;
              /** @description false: one attempt. */
              enable_retry?: boolean;
              /** @description true: `debug_info`, where the worker allows it. */
              debug?: boolean;
            };
          };
        };
      };
      responses: {
        /** @description It goes on: it waits for a person, or takes longer. GET its view; its events are resumed by GET. */
        202: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              call_id: string;
              state: string;
              /** @description Digests that wait for a person. */
              pending: string[];
              view_url: string;
              events_url: string;
              /** @description Where an approver posts a decision. */
              decisions_url: string;
              /** @description Where a person approves in the Temporal Web UI. */
              ui_url: string | null;
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It cannot be done as things stand; `error.message` says why. */
        409: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/tickets': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * A ticket that opens one stream, for a minute
     * @description For an `EventSource`, which cannot send a token: add `stream_ticket=TICKET` to the address, as the last parameter of its query. Roles: starter, approver, auditor, admin.
     */
    post: {
      parameters: {
        query?: never;
        header?: never;
        path?: never;
        cookie?: never;
      };
      requestBody: {
        content: {
          /**
           * @example {
           *       "address": "/v1/turns/inv-7/events"
           *     }
           */
          'application/json': {
            /** @description Of the stream: path and query. */
            address: string;
          };
        };
      };
      responses: {
        /** @description The ticket. */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /**
             * @example {
             *       "ticket": "eyJ2Ijoi….h9A",
             *       "expires_at": "2026-01-31T09:59:59.123Z"
             *     }
             */
            'application/json': {
              ticket: string;
              /** Format: date-time */
              expires_at: string;
            };
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/blocks/{ref}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * A file that a tool made, for whoever holds its address
     * @description The address, with its signature, stands in the result of the tool. It works for an hour. Takes no token.
     */
    get: {
      parameters: {
        query?: {
          expires?: unknown;
          signature?: unknown;
        };
        header?: never;
        path: {
          ref: string;
        };
        cookie?: never;
      };
      requestBody?: never;
      responses: {
        /** @description The file, to be saved. */
        200: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            /** @example %PDF-1.7 */
            'application/octet-stream': string;
          };
        };
        /** @description The request is not right; `error.details` says where. */
        400: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description No token, or nobody’s. */
        401: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Not with these roles. */
        403: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description It is not there, or not yours to see. */
        404: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The request did not come in time. */
        408: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The address has expired. */
        410: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is too large. */
        413: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A part of the address is too long. */
        414: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description The body is not application/json. */
        415: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Too many requests: `retry-after` says for how many seconds. */
        429: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Address and headers are too long together. */
        431: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description A fault of the gateway; its log says which. */
        500: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
        /** @description Temporal, a worker or the issuer of tokens does not answer; try again. */
        503: {
          headers: {
            [name: string]: unknown;
          };
          content: {
            'application/json': {
              /** @enum {unknown} */
              success: false;
              /** @enum {unknown} */
              status: 'error';
              error: {
                /** @description Of a small set, such as `INVALID_PARAMS`. */
                code: string;
                /** @enum {unknown} */
                kind: 'USER_INPUT_ERROR' | 'TRANSIENT_ERROR' | 'FATAL_ERROR';
                /** @description snake_case, for programs. */
                reason: string;
                message: string;
                retryable: boolean;
                /** @description What to do about it. */
                hint?: string;
                details?: {
                  path: string;
                  message: string;
                }[];
              };
              metadata: {
                /** Format: date-time */
                timestamp: string;
              };
            };
          };
        };
      };
    };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: never;
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
