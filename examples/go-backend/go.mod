module example.com/go-backend

go 1.22
