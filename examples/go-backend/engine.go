package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Engine is the gateway, in the name of the principal whose token it has.
type Engine struct{ URL, Token string }

// Refusal is an answer that is an error: Reason is for programs, Message is for people.
type Refusal struct {
	Status          int
	Reason, Message string
	Retryable       bool
}

func (r *Refusal) Error() string { return fmt.Sprintf("%d %s: %s", r.Status, r.Reason, r.Message) }

// Turn is what this service reads of a turn's view.
type Turn struct {
	ID      string `json:"turn_id"`
	State   string
	Waiting []struct {
		Digest string
		Card   struct {
			WillHappen any `json:"will_happen"`
		}
	}
}

// Turn reads a turn by its id, or by the key that it was started with.
func (e Engine) Turn(id string) (view Turn, err error) {
	err = e.send(http.MethodGet, "/v1/turns/"+url.PathEscape(id), "", nil, &view)
	return view, err
}

// Post sends a request that counts once, however often it arrives: the key says that it is the same.
func (e Engine) Post(path, key string, body, into any) error {
	return e.send(http.MethodPost, path, key, body, into)
}

const attempts = 6

// send repeats what got no answer, and what may succeed later.
func (e Engine) send(method, path, key string, body, into any) error {
	for attempt := 0; ; attempt++ {
		pause, err := e.once(method, path, key, body, into)
		var refusal *Refusal
		final := errors.As(err, &refusal) && !refusal.Retryable
		if err == nil || final || attempt == attempts-1 {
			return err
		}
		time.Sleep(max(pause, time.Second<<attempt))
	}
}

// once returns how long the gateway asks to wait, if it does.
func (e Engine) once(method, path, key string, body, into any) (time.Duration, error) {
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return 0, err
		}
		content = bytes.NewReader(data)
	}
	request, err := http.NewRequest(method, e.URL+path, content)
	if err != nil {
		return 0, err
	}
	request.Header.Set("authorization", "Bearer "+e.Token)
	if body != nil {
		request.Header.Set("content-type", "application/json")
		request.Header.Set("idempotency-key", key)
	}
	answer, err := (&http.Client{Timeout: time.Minute}).Do(request)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if answer.StatusCode < 300 {
		return 0, json.NewDecoder(answer.Body).Decode(into)
	}
	seconds, _ := strconv.Atoi(answer.Header.Get("retry-after"))
	return time.Duration(seconds) * time.Second, refusalOf(answer)
}

// refusalOf reads the envelope. What a proxy in between answers has none.
func refusalOf(answer *http.Response) *Refusal {
	var envelope struct{ Error Refusal }
	if json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&envelope) != nil || envelope.Error.Reason == "" {
		retryable := answer.StatusCode >= http.StatusBadGateway
		envelope.Error = Refusal{Reason: "no_envelope", Message: "The answer is not holdfast's.", Retryable: retryable}
	}
	envelope.Error.Status = answer.StatusCode
	return &envelope.Error
}

// keyOf decodes the secret of callbacks. With the key of an empty one, anybody could sign.
func keyOf(secret string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 24 {
		return nil, errors.New("HOLDFAST_CALLBACK_SECRET must be whsec_ and the base64 of at least 24 random bytes")
	}
	return key, nil
}

// genuine tells whether holdfast has sent this callback, by the signature over the bytes as they arrived, and not long ago.
func genuine(key []byte, header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	sent, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || len(timestamp) > 12 || time.Since(time.Unix(sent, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	signature := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(signature), []byte(given)) {
			return true
		}
	}
	return false
}
